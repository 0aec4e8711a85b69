package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"runtime/debug"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/compound-docs/compound-docs/rag"
)

// errorBody is what a failed tool call answers with, as its only text.
type errorBody struct {
	Error   bool           `json:"error"`
	Code    rag.Code       `json:"code"`
	Message string         `json:"message"`
	Details map[string]any `json:"details"`
}

// reportErrors is the one place where errors reach the wire. A handler's error
// becomes an error body; a panic becomes INTERNAL_ERROR, where the SDK would let
// it end the server.
func reportErrors(logger *slog.Logger) mcp.Middleware {
	return func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, request mcp.Request) (result mcp.Result, err error) {
			if method != "tools/call" {
				return next(ctx, method, request)
			}
			defer func() {
				if cause := recover(); cause != nil {
					logger.ErrorContext(ctx, "tool panicked", "cause", cause, "stack", string(debug.Stack()))
					result, err = errorResult(rag.Errorf(rag.InternalError,
						"the server met a bug; its log has the details")), nil
				}
			}()
			result, err = next(ctx, method, request)
			call, ok := result.(*mcp.CallToolResult)
			if !ok || err != nil || !call.IsError {
				return result, err
			}
			reported := rag.AsError(call.GetError())
			logger.WarnContext(ctx, "tool failed", "tool", toolName(request), "code", reported.Code, "error", reported)
			return errorResult(reported), nil
		}
	}
}

func toolName(request mcp.Request) string {
	if params, ok := request.GetParams().(*mcp.CallToolParamsRaw); ok {
		return params.Name
	}
	return ""
}

func errorResult(e *rag.Error) *mcp.CallToolResult {
	body := errorBody{Error: true, Code: e.Code, Message: e.Error(), Details: e.Details}
	if body.Details == nil {
		body.Details = map[string]any{}
	}
	text, err := json.Marshal(body)
	if err != nil {
		text = fmt.Appendf(nil, `{"error":true,"code":%q,"message":%q,"details":{}}`, rag.InternalError, err)
	}
	return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: string(text)}}}
}
