// Package stdio runs the transport of the MCP SDK over an input and an output. After the end of the input it still
// answers the calls that it has read. It ends the session even if the client does not read the answers.
package stdio

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// deliveryTime is how long the session may go on after the end of the input, so that earlier calls get their answers.
const deliveryTime = 250 * time.Millisecond

// ErrNotRead reports that the session has ended and that the client did not read an answer.
var ErrNotRead = errors.New("the client does not read its answers")

// Transport implements [mcp.Transport] over an input and an output.
type Transport struct {
	input *io.PipeReader
	copy  *io.PipeWriter
	out   io.Writer
}

// New returns a transport that writes one line for each message. New starts to read the input, and calls onEnd when the
// input ends. Nobody can interrupt a read of stdin, so the goroutine that reads may live as long as the process.
func New(input io.Reader, output io.Writer, onEnd func()) *Transport {
	t := &Transport{out: output}
	t.input, t.copy = io.Pipe()
	go func() {
		_, err := io.Copy(t.copy, input)
		onEnd()
		_ = t.copy.CloseWithError(err)
	}()
	return t
}

// End ends the session, like the end of the input.
func (t *Transport) End() { _ = t.copy.Close() }

// Connect begins the session. It may be called once.
func (t *Transport) Connect(ctx context.Context) (mcp.Connection, error) {
	inner, err := (&mcp.IOTransport{Reader: t.input, Writer: keptOpen{t.out}}).Connect(ctx)
	return &connection{Connection: inner, ended: make(chan struct{})}, err
}

// keptOpen keeps the SDK from closing a writer.
type keptOpen struct{ io.Writer }

func (keptOpen) Close() error { return nil }

// connection is the SDK's connection with two changes: Read ends it in another way, and Write drops some answers.
type connection struct {
	mcp.Connection

	unanswered atomic.Int64  // calls that were read and have no answer yet
	cancelled  sync.Map      // whether the client has cancelled an unanswered call, by ID of the call
	ended      chan struct{} // closed when the session no longer waits for answers
}

// Read returns the next message. Any error ends the session. At the end of the input Read waits until each call has its
// answer, for at most deliveryTime, and then returns [io.EOF].
func (c *connection) Read(ctx context.Context) (jsonrpc.Message, error) {
	message, err := c.Connection.Read(ctx)
	if err != nil {
		return nil, c.end(err)
	}
	if request, ok := message.(*jsonrpc.Request); ok {
		c.note(request)
	}
	return message, nil
}

// note records that a call was read, or that the client cancels a call.
func (c *connection) note(request *jsonrpc.Request) {
	if request.IsCall() {
		c.unanswered.Add(1)
		c.cancelled.Store(request.ID, false)
		return
	}
	var params struct {
		ID any `json:"requestId"` //nolint:tagliatelle // the protocol's name
	}
	if request.Method != "notifications/cancelled" || json.Unmarshal(request.Params, &params) != nil {
		return
	}
	id, _ := jsonrpc.MakeID(params.ID) // an invalid ID belongs to no call
	c.cancelled.CompareAndSwap(id, false, true)
}

// end waits for the answers, ends the session, and returns the error of Read. err is why no further message comes.
func (c *connection) end(err error) error {
	for end := time.Now().Add(deliveryTime); c.unanswered.Load() > 0 && time.Now().Before(end); {
		time.Sleep(time.Millisecond)
	}
	close(c.ended)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) { // the last message may be cut off
		return io.EOF
	}
	return fmt.Errorf("read a message: %w; each message must be one line of JSON-RPC, of at most %d bytes",
		err, mcp.DefaultMaxLineLength)
}

// Write writes a message, except the answer to a cancelled call. A blocked write cannot be interrupted: it may go on
// after Write has returned [ErrNotRead].
func (c *connection) Write(ctx context.Context, message jsonrpc.Message) error {
	if answer, ok := message.(*jsonrpc.Response); ok {
		if cancelled, _ := c.cancelled.LoadAndDelete(answer.ID); cancelled == true {
			c.unanswered.Add(-1)
			return nil
		}
	}
	written := make(chan error, 1)
	go func() { written <- c.Connection.Write(ctx, message) }()
	select {
	case err := <-written:
		if _, ok := message.(*jsonrpc.Response); ok {
			c.unanswered.Add(-1)
		}
		return err
	case <-c.ended:
		return ErrNotRead
	}
}
