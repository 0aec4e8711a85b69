package tools

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/compound-docs/compound-docs/rag/apierror"
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
// error of the protocol, and so does what goes wrong with other requests.
func reportErrors(logger *slog.Logger) mcp.Middleware {
	return func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, request mcp.Request) (result mcp.Result, err error) {
			call, isCall := request.(*mcp.CallToolRequest)
			defer func() {
				cause := recover()
				switch {
				case cause == nil:
				case isCall:
					logger.ErrorContext(ctx, "tool panicked", "tool", shortName(call), "cause", cause, "stack", string(debug.Stack()))
					result, err = errorResult(call.Session, bug()), nil
				default:
					logger.ErrorContext(ctx, "request panicked", "method", method, "cause", cause, "stack", string(debug.Stack()))
					result, err = nil, protocolError(bug())
				}
			}()
			result, err = next(ctx, method, request)
			if protocol, ok := errors.AsType[*jsonrpc.Error](err); ok {
				return nil, validError(protocol, request)
			}
			if !isCall {
				return result, err
			}
			if err != nil {
				return errorResult(call.Session, bug()), nil
			}
			if answer, ok := result.(*mcp.CallToolResult); ok && answer.IsError && answer.GetError() != nil {
				return errorResult(call.Session, apierror.AsError(answer.GetError())), nil
			}
			return result, nil
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

// protocolError returns the error of a request other than a tool call. Its data is the
// same body that a failed tool call answers with.
func protocolError(err error) error {
	e := apierror.AsError(err)
	return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: e.Error(), Data: encodeError(e)}
}

// statelessProtocol is the first version in which a result says whether it is complete.
const statelessProtocol = "2026-07-28"

// newCallResult returns a result without content. It is marked as complete if the
// client's version of the protocol requires that. The SDK marks only the results of
// handlers and has no setter, so the mark is set by decoding.
func newCallResult(session *mcp.ServerSession) *mcp.CallToolResult {
	result := &mcp.CallToolResult{}
	if client := session.InitializeParams(); client != nil && client.ProtocolVersion < statelessProtocol {
		return result
	}
	if err := json.Unmarshal([]byte(`{"resultType":"complete"}`), result); err != nil {
		panic(fmt.Sprintf("tools: mark a result: %v", err))
	}
	return result
}

// validError replaces the data of an error of the protocol that is not valid JSON, because
// writing it would end the session. The SDK quotes the URI of a missing resource in Go
// syntax, which is not valid JSON if it has a control character.
func validError(protocol *jsonrpc.Error, request mcp.Request) error {
	if len(protocol.Data) == 0 || json.Valid(protocol.Data) {
		return protocol
	}
	valid := &jsonrpc.Error{Code: protocol.Code, Message: protocol.Message}
	if read, ok := request.(*mcp.ReadResourceRequest); ok {
		valid.Data = encode(map[string]string{"uri": read.Params.URI})
	}
	return valid
}
