package tools

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/compound-docs/compound-docs/rag"
)

// logCalls writes one line for every call of a tool that returns: what was called,
// how many milliseconds it took and how many results it has, or why it failed.
// It stands behind [reportErrors], where an error still has its cause; that one
// logs panics.
func logCalls(logger *slog.Logger) mcp.Middleware {
	return func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, request mcp.Request) (mcp.Result, error) {
			call, ok := request.(*mcp.CallToolRequest)
			if !ok {
				return next(ctx, method, request)
			}
			results := -1
			start := time.Now()
			result, err := next(context.WithValue(ctx, resultsKey{}, &results), method, request)
			line := logger.With("tool", shortName(call))
			took := time.Since(start).Milliseconds()
			failure := err
			answer, ok := result.(*mcp.CallToolResult)
			if ok && answer != nil && answer.IsError && failure == nil {
				failure = answer.GetError()
			}
			var protocol *jsonrpc.Error
			switch {
			case err != nil && !errors.As(err, &protocol): // an answer that does not fit its schema
				line.ErrorContext(ctx, "tool call failed", "code", rag.InternalError, "error", err, "ms", took)
			case err != nil:
				line.ErrorContext(ctx, "tool call refused", "error", err, "ms", took)
			case failure != nil:
				line.ErrorContext(ctx, "tool call failed", "code", rag.AsError(failure).Code, "error", failure, "ms", took)
			case results >= 0:
				line.InfoContext(ctx, "tool call", "ms", took, "results", results)
			default:
				line.InfoContext(ctx, "tool call", "ms", took)
			}
			return result, err
		}
	}
}

// shortName is the name of the tool that is called, bounded: it may be of no tool.
func shortName(call *mcp.CallToolRequest) string {
	name := []rune(call.Params.Name)
	return string(name[:min(len(name), 60)])
}

type resultsKey struct{}

// noteResults says how many results the call has that ctx is of.
func noteResults(ctx context.Context, count int) {
	if results, ok := ctx.Value(resultsKey{}).(*int); ok {
		*results = count
	}
}

// counted is an answer that is a list of results.
type counted interface{ resultCount() int }

func (o listDocTypesOutput) resultCount() int { return len(o.DocTypes) }
