package stdio

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// maxBatch is how many messages one line may hold.
const maxBatch = 1000

// lastBatchVersion is the last version of the protocol that has batches.
const lastBatchVersion = "2025-03-26"

// batch gathers the answers to the calls of one line. It is guarded by the
// connection's mutex.
type batch struct {
	open    int // calls without an answer, and one while the line is being read
	answers [][]byte
}

// add adds an answer, nil for none, and returns all when they are complete, nil
// before.
func (b *batch) add(answer []byte) []byte {
	if answer != nil {
		b.answers = append(b.answers, answer)
	}
	if b.open--; b.open > 0 || len(b.answers) == 0 {
		return nil
	}
	return append(append([]byte("["), bytes.Join(b.answers, []byte(","))...), ']')
}

// acceptBatch hands over the messages of a line that is an array. Its answers are
// one array too, in any order.
func (c *connection) acceptBatch(line []byte) {
	c.mu.Lock()
	version := c.version
	c.mu.Unlock()
	var parts []json.RawMessage
	err := json.Unmarshal(line, &parts)
	switch {
	case version == "" || version > lastBatchVersion:
		err = fmt.Errorf("the protocol has no batches after %s; write each message on a line of its own", lastBatchVersion)
	case err == nil && len(parts) == 0:
		err = errors.New("the batch is empty")
	case len(parts) > maxBatch:
		err = fmt.Errorf("the batch holds more than %d messages", maxBatch)
	}
	if err != nil {
		c.reply(nil, jsonrpc.CodeInvalidRequest, err.Error())
		return
	}
	b := &batch{open: 1}
	var messages []jsonrpc.Message
	for _, part := range parts {
		message, id, err := decode(part)
		if err == nil {
			if err = c.begin(message, b); err != nil {
				id = nil
			}
		}
		c.mu.Lock()
		if err != nil {
			b.answers = append(b.answers, failure(id, jsonrpc.CodeInvalidRequest, err.Error()))
		} else if messages = append(messages, message); isCall(message) {
			b.open++
		}
		c.mu.Unlock()
	}
	for _, message := range messages {
		c.deliver(message)
	}
	c.mu.Lock()
	answers := b.add(nil)
	c.mu.Unlock()
	if answers != nil {
		c.replyWith(answers)
	}
}

func isCall(message jsonrpc.Message) bool {
	request, ok := message.(*jsonrpc.Request)
	return ok && request.IsCall()
}
