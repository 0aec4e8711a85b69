package stdio

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// errLongLine reports a line longer than MaxLine.
var errLongLine = errors.New("line too long")

// readLines accepts lines until in or the session ends. The error is never nil:
// [io.EOF] or in's error.
func (c *connection) readLines(in io.Reader) error {
	reader := bufio.NewReaderSize(in, 64<<10)
	for {
		line, err := readLine(reader)
		switch {
		case errors.Is(err, errLongLine):
			c.reply(nil, jsonrpc.CodeInvalidRequest, fmt.Sprintf("the line is longer than %d bytes; send a shorter message", MaxLine))
		case len(line) > 0:
			c.accept(line)
		}
		if err != nil && !errors.Is(err, errLongLine) {
			return err
		}
		select {
		case <-c.ended:
			return io.EOF
		default:
		}
	}
}

// readLine returns the next line without surrounding space. The last line may lack
// its line ending. A line longer than MaxLine is read to its end without being kept;
// the error is then errLongLine.
func readLine(reader *bufio.Reader) (line []byte, err error) {
	tooLong := false
	for {
		part, err := reader.ReadSlice('\n')
		if tooLong = tooLong || len(line)+len(part) > MaxLine+len("\r\n"); tooLong {
			line = nil
		} else {
			line = append(line, part...)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if tooLong && err == nil {
			err = errLongLine
		}
		return bytes.TrimSpace(line), err
	}
}

// accept queues the message or batch in a line, or replies with an error.
func (c *connection) accept(line []byte) {
	if !utf8.Valid(line) || !json.Valid(line) {
		c.reply(nil, jsonrpc.CodeParseError, "the line is not a JSON text in UTF-8; write each message as one line of JSON")
		return
	}
	if line[0] == '[' {
		c.acceptBatch(line)
		return
	}
	message, id, err := decode(line)
	if err == nil {
		id, err = c.enqueue(message, id, len(line), nil)
	}
	if err != nil {
		c.reply(id, jsonrpc.CodeInvalidRequest, err.Error())
	}
}

// enqueue queues a message, which was read from size bytes, for Read. It records a call
// as unanswered, together with its batch; in is nil outside a batch. The error says why
// the message is refused; the ID is then the one to use in the reply.
func (c *connection) enqueue(message jsonrpc.Message, id json.RawMessage, size int, in *batch) (json.RawMessage, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	request, call := message.(*jsonrpc.Request)
	call = call && request.IsCall()
	if call {
		if _, used := c.calls[request.ID]; used {
			return nil, fmt.Errorf("the id %.60q belongs to another request that has not been answered yet", fmt.Sprint(request.ID.Raw()))
		}
	}
	if !c.incoming.push(message, size) {
		return id, errors.New("too many messages wait for their answers; read the answers and send the message again")
	}
	if call {
		c.calls[request.ID] = in
		if request.Method == "initialize" {
			c.initialize = request.ID
		}
		if in != nil {
			in.calls++
			in.open++
		}
	}
	return nil, nil
}

// envelope has the fields that are checked before the SDK decodes a message.
type envelope struct {
	ID     json.RawMessage `json:"id"`
	Method json.RawMessage `json:"method"`
	Result json.RawMessage `json:"result"`
	Error  json.RawMessage `json:"error"`
}

// decode decodes one message from valid JSON. On error, id is the ID to use in the
// reply, nil if it is unknown.
func decode(data []byte) (message jsonrpc.Message, id json.RawMessage, err error) {
	var e envelope
	if err := json.Unmarshal(data, &e); err != nil {
		return nil, nil, errors.New("the message is not an object")
	}
	if len(e.ID) > 0 {
		if !validID(e.ID) {
			return nil, nil, errors.New("the id of a message must be a string or a whole number")
		}
		id = e.ID
	}
	if len(e.Method)+len(e.Result)+len(e.Error) == 0 { // the SDK would take it for a response, and not report it
		return nil, id, errors.New("the message has no method")
	}
	message, err = jsonrpc.DecodeMessage(data)
	if err != nil {
		return nil, id, fmt.Errorf("the message is not JSON-RPC 2.0: %w", err)
	}
	return message, id, nil
}

// validID reports whether an ID survives decoding and encoding unchanged. null and
// numbers with a fraction or above 2⁵³ do not.
func validID(id json.RawMessage) bool {
	var value any
	if json.Unmarshal(id, &value) != nil {
		return false
	}
	switch value := value.(type) {
	case string:
		return true
	case float64:
		return value == math.Trunc(value) && math.Abs(value) <= 1<<53
	default:
		return false
	}
}
