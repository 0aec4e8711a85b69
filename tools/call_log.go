package tools

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/compound-docs/compound-docs/rag/apierror"
)

// logCalls writes one log line for every tool call that returns: the tool, how many
// milliseconds it took, and the number of results or the reason of the failure. It
// runs inside [reportErrors], where an error still has its cause, and which logs
// panics.
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
			if ok && answer != nil && answer.InputRequests != nil {
				return result, err // the client makes the call again, with what it was asked for
			}
			if ok && answer != nil && answer.IsError && failure == nil {
				failure = answer.GetError()
			}
			var protocol *jsonrpc.Error
			switch {
			case err != nil && !errors.As(err, &protocol): // an answer that is no JSON
				line.ErrorContext(ctx, "tool call failed", "code", apierror.InternalError, "error", err, "ms", took)
			case err != nil:
				line.ErrorContext(ctx, "tool call refused", "error", err, "ms", took)
			case failure != nil:
				line.ErrorContext(ctx, "tool call failed", "code", apierror.AsError(failure).Code, "error", failure, "ms", took)
			case results >= 0:
				line.InfoContext(ctx, "tool call", "ms", took, "results", results)
			default:
				line.InfoContext(ctx, "tool call", "ms", took)
			}
			return result, err
		}
	}
}

// shortName returns the name of the called tool. It is cut, because a client can send
// any text as the name.
func shortName(call *mcp.CallToolRequest) string {
	name := []rune(call.Params.Name)
	return string(name[:min(len(name), 60)])
}

type resultsKey struct{}

// noteResults tells logCalls how many results the call has.
func noteResults(ctx context.Context, count int) {
	if results, ok := ctx.Value(resultsKey{}).(*int); ok {
		*results = count
	}
}

// counted is an answer with a list of results, whose number is logged.
type counted interface{ resultCount() int }

func (o listDocTypesOutput) resultCount() int { return len(o.DocTypes) }
