package stdio

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// maxBatch is the largest number of messages in a batch.
const maxBatch = 1000

// lastBatchVersion is the last protocol version that has batches.
const lastBatchVersion = "2025-03-26"

// batch collects the answers to the calls of one line. The connection's mutex
// guards it.
type batch struct {
	calls   int // calls in the batch
	open    int // calls without an answer, plus one while messages are queued
	answers [][]byte
}

// add adds an answer; a nil answer says that all messages are queued. It returns the
// JSON array of answers when the batch is complete, else nil. A batch without
// calls and errors has no array.
func (b *batch) add(answer []byte) []byte {
	if answer != nil {
		b.answers = append(b.answers, answer)
	}
	if b.open--; b.open > 0 || len(b.answers) == 0 {
		return nil
	}
	return append(append([]byte("["), bytes.Join(b.answers, []byte(","))...), ']')
}

// acceptBatch queues the messages of a line that holds a JSON array. Their
// answers are written as one array, in any order.
func (c *connection) acceptBatch(line []byte) {
	parts, err := c.splitBatch(line)
	if err != nil {
		c.reply(nil, jsonrpc.CodeInvalidRequest, err.Error())
		return
	}
	b := &batch{open: 1}
	for _, part := range parts {
		message, id, err := decode(part)
		if err == nil {
			id, err = c.enqueue(message, id, len(part), b)
		}
		if err != nil {
			c.mu.Lock()
			b.answers = append(b.answers, errorResponse(id, jsonrpc.CodeInvalidRequest, err.Error()))
			c.mu.Unlock()
		}
	}
	c.mu.Lock()
	answers := b.add(nil)
	c.mu.Unlock()
	switch {
	case answers == nil: // nothing to answer, or the last call's answer writes the array
	case b.calls > 0:
		go c.writeReply(answers) // the answer to a call is never dropped
	default:
		c.replyWith(answers)
	}
}

// splitBatch returns the messages of a batch. The error says why it is refused.
func (c *connection) splitBatch(line []byte) ([]json.RawMessage, error) {
	c.mu.Lock()
	version := c.version
	c.mu.Unlock()
	if version == "" || version > lastBatchVersion {
		return nil, fmt.Errorf("the protocol has no batches after %s; write each message on a line of its own", lastBatchVersion)
	}
	var parts []json.RawMessage
	err := json.Unmarshal(line, &parts)
	switch {
	case err != nil:
		return nil, err //nolint:wrapcheck // cannot happen: the line is a valid JSON array
	case len(parts) == 0:
		return nil, errors.New("the batch is empty")
	case len(parts) > maxBatch:
		return nil, fmt.Errorf("the batch holds more than %d messages", maxBatch)
	default:
		return parts, nil
	}
}

func isCall(message jsonrpc.Message) bool {
	request, ok := message.(*jsonrpc.Request)
	return ok && request.IsCall()
}
