package stdio

import (
	"context"
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// maxReplies is the number of replies to malformed lines that wait for the client to
// read. No more is read meanwhile.
const maxReplies = 64

// Write writes a message and returns when Out has taken it. Messages written one
// after the other keep their order. A response that cannot be encoded is replaced
// by an internal error, and a request that cannot be encoded is logged and dropped:
// neither ends the session. The error is the context's, the error of Out, or
// [ErrNotRead].
func (c *connection) Write(ctx context.Context, message jsonrpc.Message) error {
	if err := ctx.Err(); err != nil {
		return err //nolint:wrapcheck // the SDK compares it
	}
	response, isResponse := message.(*jsonrpc.Response)
	encoded, err := jsonrpc.EncodeMessage(message)
	switch {
	case err != nil && !isResponse:
		c.logger.ErrorContext(ctx, "message cannot be encoded and is not sent", "error", err)
		return nil
	case err != nil:
		c.logger.ErrorContext(ctx, "response cannot be encoded", "error", err)
		encoded = errorResponse(response.ID.Raw(), jsonrpc.CodeInternalError, "the server met a bug; its log has the details")
	case isResponse && !response.ID.IsValid(): // EncodeMessage leaves the ID out
		encoded = errorResponse(nil, jsonrpc.CodeInvalidRequest, response.Error.Error())
	}
	if isResponse {
		c.completeCall(response.ID)
	}
	return c.writeLine(encoded)
}

// completeCall records that a call is answered.
func (c *connection) completeCall(id jsonrpc.ID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.calls[id] {
		delete(c.calls, id)
		c.incoming.answered()
	}
}

// writeLine writes a line when no other is being written. A blocked write cannot be
// interrupted: it may go on after writeLine has returned [ErrNotRead].
func (c *connection) writeLine(line []byte) error {
	select {
	case c.writing <- struct{}{}:
	case <-c.drained:
		return ErrNotRead
	}
	done := make(chan error, 1)
	go func() {
		_, err := c.out.Write(append(line, '\n'))
		<-c.writing
		done <- err
	}()
	select {
	case err := <-done:
		return err
	case <-c.drained:
		return ErrNotRead
	}
}

// refuse answers a malformed message, in the background, so that the reader notices the
// end of In even while the client does not read. It waits while maxReplies are pending. A
// nil id becomes null.
func (c *connection) refuse(id json.RawMessage, code int, message string) {
	if !c.waitFor(c.replies) {
		return
	}
	go func() {
		defer func() { c.replies <- struct{}{} }()
		if err := c.writeLine(errorResponse(id, code, message)); err != nil {
			c.logger.Debug("a reply was not read", "error", err)
		}
	}()
}

// errorResponse encodes an error response. A nil id becomes null.
func errorResponse(id any, code int, message string) []byte {
	encoded, err := json.Marshal(struct {
		Version string         `json:"jsonrpc"`
		ID      any            `json:"id"`
		Error   *jsonrpc.Error `json:"error"`
	}{"2.0", id, &jsonrpc.Error{Code: int64(code), Message: message}})
	if err != nil {
		panic("stdio: encode error response: " + err.Error()) // the ID came from valid JSON
	}
	return encoded
}
