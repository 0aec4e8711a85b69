package stdio

import (
	"context"
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// maxReplies bounds the pending replies to malformed lines while the client does
// not read. Further replies are dropped.
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
		encoded = errorResponse(rawID(response.ID), jsonrpc.CodeInternalError, "the server met a bug; its log has the details")
	case isResponse && !response.ID.IsValid(): // EncodeMessage leaves the ID out
		encoded = errorResponse(nil, jsonrpc.CodeInvalidRequest, response.Error.Error())
	}
	if isResponse {
		if encoded = c.completeCall(response, encoded); encoded == nil {
			return nil
		}
	}
	return c.writeLine(encoded)
}

// completeCall records that a call is answered. It returns what to write now: the
// answer, or all answers of its batch, or nil while the batch is incomplete.
func (c *connection) completeCall(response *jsonrpc.Response, encoded []byte) []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	in, open := c.calls[response.ID]
	if open {
		delete(c.calls, response.ID)
		c.incoming.answered()
	}
	if response.ID == c.initialize && response.Error == nil && c.version == "" {
		var result struct {
			ProtocolVersion string `json:"protocolVersion"` //nolint:tagliatelle // the protocol's own spelling
		}
		if json.Unmarshal(response.Result, &result) == nil {
			c.version = result.ProtocolVersion
		}
	}
	if in == nil {
		return encoded
	}
	return in.add(encoded)
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

// reply answers a malformed message. It does not wait, so that the reader notices
// the end of In even while the client does not read. A nil id becomes null.
func (c *connection) reply(id json.RawMessage, code int, message string) {
	c.replyWith(errorResponse(id, code, message))
}

// replyWith writes a reply in the background, or drops it if maxReplies are pending.
func (c *connection) replyWith(line []byte) {
	select {
	case c.replying <- struct{}{}:
	default:
		c.dropped.Do(func() { c.logger.Error("replies are dropped because the client reads none") })
		return
	}
	go func() {
		defer func() { <-c.replying }()
		c.writeReply(line)
	}()
}

func (c *connection) writeReply(line []byte) {
	if err := c.writeLine(line); err != nil {
		c.logger.Debug("a reply was not read", "error", err)
	}
}

// errorResponse encodes an error response. A nil id becomes null.
func errorResponse(id json.RawMessage, code int, message string) []byte {
	if id == nil {
		id = json.RawMessage("null")
	}
	type body struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	}
	encoded, err := json.Marshal(struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Error   body            `json:"error"`
	}{"2.0", id, body{code, message}})
	if err != nil {
		panic("stdio: encode error response: " + err.Error()) // the ID came from valid JSON
	}
	return encoded
}

// rawID encodes an ID, nil if that is impossible.
func rawID(id jsonrpc.ID) json.RawMessage {
	encoded, err := json.Marshal(id.Raw())
	if err != nil {
		return nil
	}
	return encoded
}
