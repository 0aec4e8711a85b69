// Package stdio carries the messages of a session over two streams, one a line.
// What a client gets wrong is answered, and the session goes on: a line that is
// no JSON, that is no message, or that has no end. It knows JSON-RPC and lines;
// it must not know what the messages are about.
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

// MaxLine is the length of the longest line that is read, in bytes.
const MaxLine = 16 << 20

// lastWords is how long answers may take to be read once the session ends.
const lastWords = time.Second

// ErrNotRead says that the session has ended and nobody reads what is left to say.
var ErrNotRead = errors.New("the client does not read its answers")

// Transport is a session over two streams. It is connected once.
type Transport struct {
	In  io.Reader
	Out io.Writer
	// Done ends the session as the end of In does.
	Done <-chan struct{}
	// OnEnd is called once when the session ends, by In or by Done.
	OnEnd  func()
	Logger *slog.Logger
}

// Connect begins to read.
func (t *Transport) Connect(context.Context) (mcp.Connection, error) {
	c := &connection{
		out: t.Out, logger: t.Logger, onEnd: t.OnEnd,
		incoming: make(chan jsonrpc.Message), ended: make(chan struct{}), late: make(chan struct{}),
		writing: make(chan struct{}, 1), replying: make(chan struct{}, maxReplies),
		requests: map[jsonrpc.ID]*batch{},
	}
	// Nothing can interrupt a read of stdin: this goroutine may end with the process.
	go func() {
		c.end(c.readLines(t.In))
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
	out      io.Writer
	logger   *slog.Logger
	onEnd    func()
	incoming chan jsonrpc.Message

	ending sync.Once
	reason error         // why the session has ended, once it has
	ended  chan struct{} // closed then
	late   chan struct{} // closed when nothing is waited for any more

	writing  chan struct{} // holds one while a line is written
	replying chan struct{} // holds one for each reply that waits to be written
	dropped  sync.Once     // done when a reply is dropped

	mu sync.Mutex
	// version is that of the protocol, "" before it is known.
	version string
	// requests are the calls under way, each with the batch that it came in, or nil.
	requests map[jsonrpc.ID]*batch
	// initialize is the call whose result says the version.
	initialize jsonrpc.ID
}

// end ends the session, the first time that it is called.
func (c *connection) end(reason error) {
	c.ending.Do(func() {
		c.reason = reason
		close(c.ended)
		time.AfterFunc(lastWords, func() { close(c.late) })
		if c.onEnd != nil {
			c.onEnd()
		}
	})
}

// Read returns the next message; the error is [io.EOF] when the session has ended.
func (c *connection) Read(ctx context.Context) (jsonrpc.Message, error) {
	select {
	case <-ctx.Done():
		return nil, ctx.Err() //nolint:wrapcheck // the SDK compares it
	case <-c.ended:
		return nil, c.reason
	case message := <-c.incoming:
		return message, nil
	}
}

// Close ends the session.
func (c *connection) Close() error {
	c.end(io.EOF)
	return nil
}

// SessionID returns "": there is one session.
func (c *connection) SessionID() string { return "" }
