package tools

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/compound-docs/compound-docs/internal/panics"
	"github.com/compound-docs/compound-docs/internal/plain"
	"github.com/compound-docs/compound-docs/rag/apierror"
	"github.com/compound-docs/compound-docs/rag/markdown"
)

// errorBody is the answer of a failed tool call. Encoded as JSON, it is the only text of that answer.
type errorBody struct {
	Error   bool           `json:"error"`
	Code    apierror.Code  `json:"code"`
	Message string         `json:"message"`
	Details map[string]any `json:"details"`
}

// answering returns the handler that the MCP server calls for a tool. The handler logs one line for each call.
func (h *Handler) answering(tool Tool) mcp.ToolHandler {
	return func(ctx context.Context, request *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		start := time.Now()
		result, err := tool.call(h, ctx, request)
		line, took := h.logger.With("tool", tool.Name), time.Since(start).Milliseconds()
		if err != nil {
			failure := apierror.AsError(err)
			if errors.Is(ctx.Err(), context.Canceled) {
				line.InfoContext(ctx, "tool call cancelled", "ms", took)
			} else {
				line.ErrorContext(ctx, "tool call failed", "code", failure.Code, "error", err, "ms", took)
			}
			return errorResult(failure), nil
		}
		if result.InputRequests == nil { // otherwise the client repeats the call with the requested input
			line.InfoContext(ctx, "tool call", "ms", took)
		}
		return result, nil
	}
}

// reportErrors is middleware for all requests. It turns a panic, which would end the server, into an error. It logs
// tool calls that the SDK refuses, such as a call of an unknown tool, and repairs errors that are not valid JSON.
func reportErrors(logger *slog.Logger) mcp.Middleware {
	return func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, request mcp.Request) (result mcp.Result, err error) {
			start := time.Now()
			name := ""
			call, isCall := request.(*mcp.CallToolRequest)
			if isCall {
				name = markdown.CutRunes(call.Params.Name, maxToolName)
			}
			err = panics.Catch(func() (err error) {
				result, err = next(ctx, method, request)
				return err
			})
			if panicked, ok := errors.AsType[*panics.Error](err); ok {
				logger.ErrorContext(ctx, "request panicked",
					"method", method, "tool", name, "cause", panicked.Value, "stack", string(panicked.Stack))
				if isCall {
					return errorResult(bug()), nil
				}
				return nil, protocolError(bug())
			}
			protocol, ok := errors.AsType[*jsonrpc.Error](err)
			if !ok {
				return result, err
			}
			if isCall {
				logger.ErrorContext(ctx, "tool call refused", "tool", name, "error", err, "ms", time.Since(start).Milliseconds())
			}
			if read, ok := request.(*mcp.ReadResourceRequest); ok && !json.Valid(protocol.Data) {
				// The SDK quotes the URI of a missing resource in Go's syntax. Writing text that is not JSON would end the session.
				protocol.Data = encode(map[string]string{"uri": read.Params.URI})
			}
			return nil, protocol
		}
	}
}

// maxToolName limits the name of a tool in the log, in characters, because a client can send any text.
const maxToolName = 60

// bug returns the error for clients after a panic. Only the log has the cause.
func bug() *apierror.Error {
	return apierror.Errorf(apierror.InternalError, "the server met a bug; its log has the details")
}

func errorResult(e *apierror.Error) *mcp.CallToolResult {
	result := textResult(string(encodeError(e)))
	result.IsError = true
	return result
}

func encodeError(e *apierror.Error) []byte {
	body := errorBody{Error: true, Code: e.Code, Message: plain.Line(e.Error()), Details: e.Details}
	if body.Details == nil {
		body.Details = map[string]any{}
	}
	text, err := readable(body)
	if err != nil { // a detail cannot be encoded; drop the details
		body.Details = map[string]any{}
		text, _ = readable(body)
	}
	return text
}

// readable returns a value as JSON for models and people. It does not escape <, > and &. It replaces unprintable
// characters with U+FFFD.
func readable(value any) ([]byte, error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(value)
	return bytes.TrimSpace([]byte(plain.Block(text.String()).String())), err
}

// protocolError returns the error of a request that is not a tool call. Its data is an errorBody.
func protocolError(err error) error {
	e := apierror.AsError(err)
	return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: plain.Line(e.Error()), Data: encodeError(e)}
}
