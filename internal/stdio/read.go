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

// errLongLine is for a line that is longer than MaxLine.
var errLongLine = errors.New("line too long")

// readLines handles lines until there are no more, and returns why.
func (c *connection) readLines(in io.Reader) error {
	reader := bufio.NewReaderSize(in, 64<<10)
	for {
		line, err := readLine(reader)
		switch {
		case errors.Is(err, errLongLine):
			c.reply(nil, jsonrpc.CodeInvalidRequest, fmt.Sprintf("the line is longer than the %d bytes that a message may have", MaxLine))
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

// readLine returns the next line without the space around it. The last line may
// lack its end. Of a line that is too long it reads all and keeps nothing.
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

// accept hands over what a line holds, or replies to what is wrong with it.
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
		err = c.begin(message, nil)
		if err != nil {
			id = nil // it is that of another request
		}
	}
	if err != nil {
		c.reply(id, jsonrpc.CodeInvalidRequest, err.Error())
		return
	}
	c.deliver(message)
}

// deliver hands a message to whoever reads the connection.
func (c *connection) deliver(message jsonrpc.Message) {
	select {
	case c.incoming <- message:
	case <-c.ended:
	}
}

// envelope is what every message has.
type envelope struct {
	ID     json.RawMessage `json:"id"`
	Method json.RawMessage `json:"method"`
}

// decode returns the message in valid JSON. If it is none, it returns the id to
// reply to, nil for none, and what is wrong.
func decode(data []byte) (message jsonrpc.Message, id json.RawMessage, err error) {
	var e envelope
	if err := json.Unmarshal(data, &e); err != nil {
		return nil, nil, errors.New("the message is not an object")
	}
	if len(e.ID) > 0 {
		if !validID(e.ID) {
			return nil, nil, errors.New("the id of a message is text or a whole number")
		}
		id = e.ID
	}
	message, err = jsonrpc.DecodeMessage(data)
	if err != nil {
		return nil, id, fmt.Errorf("the message is no JSON-RPC 2.0: %w", err)
	}
	return message, id, nil
}

// validID reports whether an id can be answered as it is: null is none, and of
// other numbers than whole ones some would come back as another.
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

// begin notes that a message is under way, if it is a call. It is an error if
// another with its id is.
func (c *connection) begin(message jsonrpc.Message, in *batch) error {
	request, ok := message.(*jsonrpc.Request)
	if !ok || !request.IsCall() {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, used := c.requests[request.ID]; used {
		return fmt.Errorf("the id %.60q is that of another request, which is not yet answered", fmt.Sprint(request.ID.Raw()))
	}
	c.requests[request.ID] = in
	if request.Method == "initialize" {
		c.initialize = request.ID
	}
	return nil
}
