// Package stdio runs the SDK's transport over two streams. After the end of the input it still answers the calls
// that it has read. It ends the session even if the client does not read.
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

// deliveryTime is how long the session continues after the end of the input, so that the calls read before get
// their answers.
const deliveryTime = 250 * time.Millisecond

// ErrNotRead reports that the session has ended and that the client did not read an answer.
var ErrNotRead = errors.New("the client does not read its answers")

// Transport implements [mcp.Transport].
type Transport struct {
	input *io.PipeReader
	copy  *io.PipeWriter
	out   io.Writer
}

// New starts to read in, and calls onEnd at its end. out gets one line for each message. A read
// of stdin cannot be interrupted, so the goroutine that reads may live as long as the process.
func New(in io.Reader, out io.Writer, onEnd func()) *Transport {
	t := &Transport{out: out}
	t.input, t.copy = io.Pipe()
	go func() {
		_, err := io.Copy(t.copy, in)
		onEnd()
		_ = t.copy.CloseWithError(err)
	}()
	return t
}

// End ends the session, like the end of the input.
func (t *Transport) End() { _ = t.copy.Close() }

// Connect may be called once.
func (t *Transport) Connect(ctx context.Context) (mcp.Connection, error) {
	inner, err := (&mcp.IOTransport{Reader: t.input, Writer: keptOpen{t.out}}).Connect(ctx)
	return &connection{Connection: inner, ended: make(chan struct{})}, err
}

// keptOpen keeps the SDK from closing a writer.
type keptOpen struct{ io.Writer }

func (keptOpen) Close() error { return nil }

// connection is the SDK's connection, except that it ends differently: see Read.
type connection struct {
	mcp.Connection

	unanswered atomic.Int64  // calls that were read and have no answer yet
	cancelled  sync.Map      // by the ID of each of these calls, whether the client has cancelled it
	ended      chan struct{} // closed when the session no longer waits for answers
}

// Read returns the next message. It reports the end of the input when each call has its answer, or deliveryTime
// later. Any error ends the session.
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
	id, _ := jsonrpc.MakeID(params.ID) // no call has an ID that is none
	c.cancelled.CompareAndSwap(id, false, true)
}

// end waits for the answers, ends the session, and returns the error that says why.
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
