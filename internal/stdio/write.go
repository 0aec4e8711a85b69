package stdio

import (
	"context"
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// maxReplies bounds the replies that wait for a client which sends what is no
// message and reads nothing. Further ones are dropped.
const maxReplies = 64

// Write writes a message, and returns when somebody has taken it. What cannot be
// written as JSON becomes an internal error: it does not end the session. The
// error is [ErrNotRead] when the session has ended and it is not taken.
func (c *connection) Write(ctx context.Context, message jsonrpc.Message) error {
	if err := ctx.Err(); err != nil {
		return err //nolint:wrapcheck // the SDK compares it
	}
	response, isResponse := message.(*jsonrpc.Response)
	encoded, err := jsonrpc.EncodeMessage(message)
	switch {
	case err != nil && !isResponse:
		c.logger.ErrorContext(ctx, "a message is no JSON and is not sent", "error", err)
		return nil
	case err != nil:
		c.logger.ErrorContext(ctx, "an answer is no JSON", "error", err)
		encoded = failure(rawID(response.ID), jsonrpc.CodeInternalError, "the server met a bug; its log has the details")
	case isResponse && !response.ID.IsValid(): // whose id would be left out
		encoded = failure(nil, jsonrpc.CodeInvalidRequest, response.Error.Error())
	}
	if isResponse {
		if encoded = c.finish(response, encoded); encoded == nil {
			return nil
		}
	}
	return c.writeLine(encoded)
}

// finish notes that a call is answered. It returns what is to be written now: the
// answer, or those of its whole batch, or nil while others of that are missing.
func (c *connection) finish(response *jsonrpc.Response, encoded []byte) []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	in := c.requests[response.ID]
	delete(c.requests, response.ID)
	if response.ID == c.initialize && response.Error == nil && c.version == "" {
		var result struct {
			ProtocolVersion string `json:"protocolVersion"` //nolint:tagliatelle // the protocol names it so
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

// writeLine writes one line at a time. A write that nobody takes cannot be
// interrupted: it may go on after this has returned.
func (c *connection) writeLine(line []byte) error {
	select {
	case c.writing <- struct{}{}:
	case <-c.late:
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
	case <-c.late:
		return ErrNotRead
	}
}

// reply answers what never became a request. It does not wait, so that a client
// that does not read is still heard when it goes. A nil id is unknown.
func (c *connection) reply(id json.RawMessage, code int, message string) {
	c.replyWith(failure(id, code, message))
}

func (c *connection) replyWith(line []byte) {
	select {
	case c.replying <- struct{}{}:
	default:
		c.dropped.Do(func() { c.logger.Error("replies are dropped: the client reads none") })
		return
	}
	go func() {
		defer func() { <-c.replying }()
		if err := c.writeLine(line); err != nil {
			c.logger.Debug("a reply is not read", "error", err)
		}
	}()
}

// failure returns the response that says what is wrong.
func failure(id json.RawMessage, code int, message string) []byte {
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
		panic("stdio: an id that was decoded from JSON is none: " + err.Error())
	}
	return encoded
}

// rawID returns an id as JSON.
func rawID(id jsonrpc.ID) json.RawMessage {
	encoded, err := json.Marshal(id.Raw())
	if err != nil {
		return nil
	}
	return encoded
}
