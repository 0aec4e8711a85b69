// Package stdio runs the SDK's transport over two streams. Calls that were read are answered
// after the end of the input, and the session ends even if the client does not read.
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

// deliveryTime is how long the session goes on after the end of the input, so that calls
// that were read get their answers.
const deliveryTime = 250 * time.Millisecond

// maxUnanswered bounds the calls that were read and have no answer yet. At it, no more input is read.
const maxUnanswered = 10_000

// unreadTime is how long a client at that bound may read nothing before the session ends. Until
// then the end of the input goes unnoticed.
const unreadTime = 10 * time.Second

// ErrNotRead reports that the session has ended and that the client did not read an answer.
var ErrNotRead = errors.New("the client does not read its answers")

// Transport implements [mcp.Transport].
type Transport struct {
	input  *io.PipeReader
	copy   *io.PipeWriter
	out    io.Writer
	ending chan struct{} // closed by end
	end    func()
}

// New starts to read in, and calls onEnd at its end. out gets one line for each message. A read
// of stdin cannot be interrupted, so the goroutine that reads may live as long as the process.
func New(in io.Reader, out io.Writer, onEnd func()) *Transport {
	t := &Transport{out: out, ending: make(chan struct{})}
	t.input, t.copy = io.Pipe()
	t.end = sync.OnceFunc(func() { close(t.ending) })
	go func() {
		_, err := io.Copy(t.copy, in)
		onEnd()
		_ = t.copy.CloseWithError(err)
	}()
	return t
}

// End ends the session as the end of the input does.
func (t *Transport) End() {
	t.end()
	_ = t.copy.Close()
}

// Connect may be called once.
func (t *Transport) Connect(ctx context.Context) (mcp.Connection, error) {
	inner, err := (&mcp.IOTransport{Reader: t.input, Writer: keptOpen{t.out}}).Connect(ctx)
	return &connection{Connection: inner, ending: t.ending, ended: make(chan struct{})}, err
}

// keptOpen is not closed by the SDK.
type keptOpen struct{ io.Writer }

func (keptOpen) Close() error { return nil }

// connection is the SDK's connection with another end.
type connection struct {
	mcp.Connection

	unanswered atomic.Int64  // calls that were read
	cancelled  sync.Map      // by the ID of each of these calls, whether the client has cancelled it
	ending     chan struct{} // closed when the session should end
	ended      chan struct{} // closed when the session no longer waits for answers
}

// Read returns the next message, as soon as fewer than maxUnanswered calls wait. It reports the
// end of the input when each call has its answer, or deliveryTime later. Any error ends the session.
func (c *connection) Read(ctx context.Context) (jsonrpc.Message, error) {
	err := c.waitForReader()
	if err != nil {
		return nil, c.end(err)
	}
	message, err := c.Connection.Read(ctx)
	if err != nil {
		return nil, c.end(err)
	}
	if request, ok := message.(*jsonrpc.Request); ok {
		c.note(request)
	}
	return message, nil
}

// note keeps that a call was read, or which one the client cancels.
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

// waitForReader returns when fewer than maxUnanswered calls wait, and an error if the session should end.
func (c *connection) waitForReader() error {
	before, since := int64(0), time.Now()
	for {
		waiting := c.unanswered.Load()
		switch {
		case waiting < maxUnanswered:
			return nil
		case waiting != before:
			before, since = waiting, time.Now()
		case time.Since(since) > unreadTime:
			return ErrNotRead
		}
		select {
		case <-c.ending:
			return io.EOF
		case <-time.After(time.Millisecond):
		}
	}
}

// end waits for the answers, ends the session, and returns the error that says why.
func (c *connection) end(err error) error {
	for end := time.Now().Add(deliveryTime); c.unanswered.Load() > 0 && time.Now().Before(end); {
		time.Sleep(time.Millisecond)
	}
	close(c.ended)
	if errors.Is(err, ErrNotRead) {
		return err
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) { // the last message may be cut off
		return io.EOF
	}
	return fmt.Errorf("read a message: %w; each message must be one line of JSON-RPC, of at most %d bytes",
		err, mcp.DefaultMaxLineLength)
}

// Write writes a message, except the answer to a cancelled call. A blocked write cannot be interrupted: it may go on after Write
// has returned [ErrNotRead].
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
