package ollama

import (
	"context"
	"sync"
)

// work says what an embedding request is for.
type work int

const (
	// forIndex: passages, of which there may be thousands. They let queries pass.
	forIndex work = iota
	// forQuery: somebody waits for the answer.
	forQuery
)

// lane lets queries overtake passages. An Ollama embeds one text after the other, in
// the order of the requests, so a query would wait for everything that was sent
// before it. Therefore a host has at most one request for passages at a time, and
// none is sent while a query waits for its embedding. The zero value is ready.
type lane struct {
	mu      sync.Mutex
	queries int           // that wait for their embedding
	empty   chan struct{} // closed when queries becomes 0; nil while it is
}

// enter counts a query until the returned function is called, which must be once.
func (l *lane) enter() (leave func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.queries == 0 {
		l.empty = make(chan struct{})
	}
	l.queries++
	return l.leave
}

func (l *lane) leave() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.queries--; l.queries == 0 {
		close(l.empty)
		l.empty = nil
	}
}

// wait returns when no query waits. The error is the context's.
func (l *lane) wait(ctx context.Context) error {
	for {
		l.mu.Lock()
		empty := l.empty
		l.mu.Unlock()
		if empty == nil {
			return ctx.Err() //nolint:wrapcheck // the caller's own
		}
		select {
		case <-empty:
		case <-ctx.Done():
			return ctx.Err() //nolint:wrapcheck // the caller's own
		}
	}
}

// turn waits until a request for this work may be sent to the host. The caller calls
// end when the request has ended. The error is the context's.
func (c *Client) turn(ctx context.Context, h *host, what work) (end func(), err error) {
	if what == forQuery {
		return func() {}, nil
	}
	select {
	case h.passages <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err() //nolint:wrapcheck // the caller's own
	}
	if err := c.lane.wait(ctx); err != nil {
		<-h.passages
		return nil, err
	}
	return func() { <-h.passages }, nil
}
