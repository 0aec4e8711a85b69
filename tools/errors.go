package tools

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"runtime/debug"

	"github.com/compound-docs/compound-docs/rag/apierror"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// errorBody is the only text of the answer of a failed tool call.
type errorBody struct {
	Error   bool           `json:"error"`
	Code    apierror.Code  `json:"code"`
	Message string         `json:"message"`
	Details map[string]any `json:"details"`
}

// reportErrors turns the errors of tool calls into answers with an [errorBody]. It
// handles the errors of handlers, answers that are no JSON, and panics, which would end
// the server. A faulty request, such as a call of a tool that does not exist, stays an
// error of the protocol.
func reportErrors(logger *slog.Logger) mcp.Middleware {
	return func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, request mcp.Request) (result mcp.Result, err error) {
			call, ok := request.(*mcp.CallToolRequest)
			if !ok {
				return next(ctx, method, request)
			}
			defer func() {
				if cause := recover(); cause != nil {
					logger.ErrorContext(ctx, "tool panicked", "tool", shortName(call), "cause", cause, "stack", string(debug.Stack()))
					result, err = errorResult(call.Session, bug()), nil
				}
			}()
			result, err = next(ctx, method, request)
			var protocol *jsonrpc.Error
			switch {
			case errors.As(err, &protocol):
				return nil, err
			case err != nil:
				return errorResult(call.Session, bug()), nil
			}
			answer, ok := result.(*mcp.CallToolResult)
			if !ok || !answer.IsError || answer.GetError() == nil {
				return result, nil
			}
			return errorResult(call.Session, apierror.AsError(answer.GetError())), nil
		}
	}
}

// bug returns the error for a failure whose cause belongs only in the log.
func bug() *apierror.Error {
	return apierror.Errorf(apierror.InternalError, "the server met a bug; its log has the details")
}

func errorResult(session *mcp.ServerSession, e *apierror.Error) *mcp.CallToolResult {
	result := newCallResult(session)
	result.IsError, result.Content = true, []mcp.Content{&mcp.TextContent{Text: string(encodeError(e))}}
	return result
}

// encodeError returns the error body as JSON.
func encodeError(e *apierror.Error) []byte {
	body := errorBody{Error: true, Code: e.Code, Message: e.Error(), Details: e.Details}
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

// readable returns a value as JSON in which <, > and & stay as they are, because models
// and people read it.
func readable(value any) ([]byte, error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(value)
	return bytes.TrimSpace(text.Bytes()), err
}
