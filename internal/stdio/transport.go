// Package stdio is an MCP transport over two streams, with one JSON-RPC message
// per line. It answers malformed lines with a JSON-RPC error and keeps the session
// open. It knows lines and JSON-RPC; it must not know any MCP method.
package stdio

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// MaxLine is the length of the longest accepted line in bytes, without its line
// ending.
const MaxLine = 16 << 20

const (
	// drainTime is how long pending writes may take after the session has ended.
	drainTime = time.Second
	// deliveryTime is how long the session goes on after the end of the input, to
	// deliver what was read.
	deliveryTime = 500 * time.Millisecond
	// stallTime is how long no message may be taken or answered while the client sends
	// more than the connection keeps.
	stallTime = 30 * time.Second
)

var (
	// ErrNotRead reports that the session has ended and that the client did not read
	// a message within a second after that.
	ErrNotRead = errors.New("the client does not read its answers")
	// ErrStalled reports that the session has ended because too many messages wait.
	ErrStalled = errors.New("too many messages wait, and none has been answered for 30 s; " +
		"the client must read the answers, and send fewer messages at a time")
)

// Transport implements [mcp.Transport]. Connect may be called once.
type Transport struct {
	// In is read until its end, Out gets one line per Write.
	In  io.Reader
	Out io.Writer
	// Done ends the session when it is closed, as the end of In does. It may be nil.
	Done <-chan struct{}
	// OnEnd, if not nil, is called once when In or the session ends, even while
	// messages wait to be delivered.
	OnEnd func()
	// Logger must not be nil.
	Logger *slog.Logger
}

// Connect starts to read In. The connection is safe for concurrent use. The error
// is always nil.
func (t *Transport) Connect(context.Context) (mcp.Connection, error) {
	c := &connection{
		out: t.Out, logger: t.Logger, noticeEnd: func() {},
		incoming: newQueue(), ended: make(chan struct{}), drained: make(chan struct{}),
		writing: make(chan struct{}, 1), replies: make(chan struct{}, maxReplies),
		calls: map[jsonrpc.ID]bool{},
	}
	if t.OnEnd != nil {
		c.noticeEnd = sync.OnceFunc(t.OnEnd)
	}
	for range maxReplies {
		c.replies <- struct{}{}
	}
	// A read of stdin cannot be interrupted, so this goroutine may live as long as
	// the process.
	go func() {
		c.endInput(c.readLines(t.In))
	}()
	go func() {
		select {
		case <-t.Done:
			c.end(io.EOF)
		case <-c.ended:
		}
	}()
	return c, nil
}

// connection is safe for concurrent use.
type connection struct {
	out    io.Writer
	logger *slog.Logger
	// noticeEnd calls OnEnd once.
	noticeEnd func()

	ending  sync.Once
	reason  error         // why the session ended; read it only after ended is closed
	ended   chan struct{} // closed when the session ends
	drained chan struct{} // closed drainTime later: writes are given up

	writing chan struct{} // semaphore of one: held while a line is written
	replies chan struct{} // holds an element for each reply that may be written beside others

	mu sync.Mutex // guards the fields below
	// incoming holds the messages that Read has not returned yet.
	incoming queue
	// inputError is why In ended, nil before.
	inputError error
	// calls are those that are not answered.
	calls map[jsonrpc.ID]bool
}

// endInput records the end of In. The session ends when what was read is delivered,
// or deliveryTime later.
func (c *connection) endInput(reason error) {
	c.noticeEnd()
	c.mu.Lock()
	c.inputError = reason
	c.incoming.close()
	c.mu.Unlock()
	timer := time.AfterFunc(deliveryTime, func() { c.end(reason) })
	<-c.ended
	timer.Stop()
}

// end ends the session. Only the first call has an effect.
func (c *connection) end(reason error) {
	c.ending.Do(func() {
		c.reason = reason
		close(c.ended)
		time.AfterFunc(drainTime, func() { close(c.drained) })
		c.noticeEnd()
	})
}

// waitFor waits until the channel has an element. It reports false if the session ends
// first, and ends it after stallTime.
func (c *connection) waitFor(room <-chan struct{}) bool {
	stalled := time.NewTimer(stallTime)
	defer stalled.Stop()
	select {
	case <-room:
		return true
	case <-stalled.C:
		c.end(ErrStalled)
	case <-c.ended:
	}
	return false
}

// Read returns the next message. Only one call may run at a time. The error is the
// context's, [io.EOF] after the session has ended, or the error of reading In.
func (c *connection) Read(ctx context.Context) (jsonrpc.Message, error) {
	for {
		select {
		case <-ctx.Done():
			return nil, ctx.Err() //nolint:wrapcheck // the SDK compares it
		case <-c.ended:
			return nil, c.reason
		default:
		}
		c.mu.Lock()
		message, ended := c.incoming.next()
		reason := c.inputError
		c.mu.Unlock()
		switch {
		case message != nil:
			return message, nil
		case ended:
			c.end(reason)
			return nil, reason
		}
		select {
		case <-ctx.Done():
		case <-c.ended:
		case <-c.incoming.changed:
		}
	}
}

// Close ends the session. The error is always nil.
func (c *connection) Close() error {
	c.end(io.EOF)
	return nil
}

// SessionID returns "": there is one session per process.
func (c *connection) SessionID() string { return "" }
