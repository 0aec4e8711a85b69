package stdio_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.uber.org/goleak"

	"github.com/compound-docs/compound-docs/internal/stdio"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// client is the other end of a connection, over in-memory pipes. A write to in
// returns when the connection has read it; the connection's writes return when the
// client has read them.
type client struct {
	conn   mcp.Connection
	in     *io.PipeWriter
	out    *bufio.Reader
	outEnd *io.PipeReader
	log    *bytes.Buffer // read it only after the connection has ended
}

// connect opens a connection, and closes both pipes at the end of the test.
func connect(t *testing.T, change ...func(*stdio.Transport)) *client {
	t.Helper()
	in, inWriter := io.Pipe()
	outReader, out := io.Pipe()
	c := &client{in: inWriter, out: bufio.NewReader(outReader), outEnd: outReader, log: &bytes.Buffer{}}
	transport := &stdio.Transport{In: in, Out: out, Logger: slog.New(slog.NewTextHandler(c.log, nil))}
	for _, f := range change {
		f(transport)
	}
	conn, err := transport.Connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	c.conn = conn
	t.Cleanup(c.close)
	return c
}

// close ends every goroutine of the connection.
func (c *client) close() {
	_ = c.conn.Close()
	_ = c.in.Close()
	_ = c.outEnd.Close()
}

// send writes text as it is, with a line ending.
func (c *client) send(t *testing.T, text string) {
	t.Helper()
	if _, err := io.WriteString(c.in, text+"\n"); err != nil {
		t.Fatal(err)
	}
}

// line returns the next line that the connection wrote.
func (c *client) line(t *testing.T) string {
	t.Helper()
	line, err := c.out.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSuffix(line, "\n")
}

// read returns the next message that the connection delivers, as JSON.
func (c *client) read(t *testing.T) string {
	t.Helper()
	message, err := c.conn.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := jsonrpc.EncodeMessage(message)
	if err != nil {
		t.Fatal(err)
	}
	return string(encoded)
}

// write has the connection write a message in the background.
func (c *client) write(t *testing.T, message jsonrpc.Message) <-chan error {
	t.Helper()
	written := make(chan error, 1)
	go func() { written <- c.conn.Write(t.Context(), message) }()
	return written
}

// answer answers the call id with a result, and returns the line that was written.
func (c *client) answer(t *testing.T, id any, result string) string {
	t.Helper()
	written := c.write(t, response(t, id, result))
	line := c.line(t)
	if err := <-written; err != nil {
		t.Fatal(err)
	}
	return line
}

func response(t *testing.T, id any, result string) *jsonrpc.Response {
	t.Helper()
	if number, ok := id.(int); ok {
		id = float64(number)
	}
	made, err := jsonrpc.MakeID(id)
	if err != nil {
		t.Fatal(err)
	}
	return &jsonrpc.Response{ID: made, Result: json.RawMessage(result)}
}

// refusal is an error response.
type refusal struct {
	ID    json.RawMessage `json:"id"`
	Error struct {
		Code    int64  `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

// wantRefusal checks an error response: its ID as JSON, its code and a part of its message.
func wantRefusal(t *testing.T, line, id string, code int64, message string) {
	t.Helper()
	var got refusal
	if err := json.Unmarshal([]byte(line), &got); err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	if string(got.ID) != id || got.Error.Code != code || !strings.Contains(got.Error.Message, message) {
		t.Errorf("got %s, want id %s, code %d and a message with %q", line, id, code, message)
	}
}

func wantError(t *testing.T, got, want error) {
	t.Helper()
	if !errors.Is(got, want) {
		t.Errorf("got error %v, want %v", got, want)
	}
}
