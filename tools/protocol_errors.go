package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"

	"github.com/compound-docs/compound-docs/rag/apierror"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

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

// validErrors replaces the data of protocol errors that are not valid JSON, because
// writing them would end the session. The SDK quotes the URI of a missing resource in
// Go syntax, which is not valid JSON if it has a control character.
func validErrors(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, request mcp.Request) (mcp.Result, error) {
		result, err := next(ctx, method, request)
		var protocol *jsonrpc.Error
		if !errors.As(err, &protocol) || len(protocol.Data) == 0 || json.Valid(protocol.Data) {
			return result, err
		}
		valid := &jsonrpc.Error{Code: protocol.Code, Message: protocol.Message}
		if read, ok := request.(*mcp.ReadResourceRequest); ok {
			valid.Data = encode(map[string]string{"uri": read.Params.URI})
		}
		return nil, valid
	}
}

// recoverPanics turns a panic outside a tool into an error of the protocol. The SDK
// would let it end the server.
func recoverPanics(logger *slog.Logger) mcp.Middleware {
	return func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, request mcp.Request) (result mcp.Result, err error) {
			defer func() {
				if cause := recover(); cause != nil {
					logger.ErrorContext(ctx, "request panicked", "method", method, "cause", cause, "stack", string(debug.Stack()))
					result, err = nil, protocolError(bug())
				}
			}()
			return next(ctx, method, request)
		}
	}
}
