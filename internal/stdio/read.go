package stdio

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
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
			c.refuse(nil, jsonrpc.CodeInvalidRequest, fmt.Sprintf("the line is longer than %d bytes; send a shorter message", MaxLine))
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

// accept queues the message in a line, or answers with an error.
func (c *connection) accept(line []byte) {
	if !utf8.Valid(line) || !json.Valid(line) {
		c.refuse(nil, jsonrpc.CodeParseError, "the line is not a JSON text in UTF-8; write each message as one line of JSON")
		return
	}
	message, id, err := decode(line)
	if err == nil {
		id, err = nil, c.enqueue(message, len(line))
	}
	if err != nil {
		c.refuse(id, jsonrpc.CodeInvalidRequest, err.Error())
	}
}

// enqueue queues a message, which was read from size bytes, for Read. It waits while there
// is no room. The error says that the message is a call whose ID is in use.
func (c *connection) enqueue(message jsonrpc.Message, size int) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if request, ok := message.(*jsonrpc.Request); ok && request.IsCall() {
		if c.calls[request.ID] {
			return fmt.Errorf("the id %.60q belongs to another request that has not been answered yet", fmt.Sprint(request.ID.Raw()))
		}
		c.calls[request.ID] = true
	}
	for !c.incoming.push(message, size) {
		c.mu.Unlock()
		goesOn := c.waitFor(c.incoming.room)
		c.mu.Lock()
		if !goesOn {
			return nil // the session has ended
		}
	}
	return nil
}

func isCall(message jsonrpc.Message) bool {
	request, ok := message.(*jsonrpc.Request)
	return ok && request.IsCall()
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
	if id[0] == '"' {
		return true
	}
	number, err := strconv.ParseFloat(string(id), 64)
	return err == nil && number == math.Trunc(number) && math.Abs(number) <= 1<<53
}
