package ollama

import (
	"context"
	"sync"
)

// turns lets queries overtake passages. Ollama embeds one text after the other, in the
// order of the requests, so a query would wait for everything that was sent before it.
// Therefore at most one request for passages is sent at a time, and none while a query
// waits for its embedding.
type turns struct {
	passages chan struct{} // holds an element while a request for passages runs

	mu      sync.Mutex
	queries int           // that wait for their embedding
	empty   chan struct{} // closed while queries is 0
}

func newTurns() turns {
	empty := make(chan struct{})
	close(empty)
	return turns{passages: make(chan struct{}, 1), empty: empty}
}

// query counts a query until the returned function is called, which must be once.
func (t *turns) query() (end func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.queries == 0 {
		t.empty = make(chan struct{})
	}
	t.queries++
	return func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		if t.queries--; t.queries == 0 {
			close(t.empty)
		}
	}
}

// passage waits until a request for passages may be sent. The caller calls end when the
// request has ended. The error is the context's.
func (t *turns) passage(ctx context.Context) (end func(), err error) {
	select {
	case t.passages <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err() //nolint:wrapcheck // the caller's own
	}
	for {
		t.mu.Lock()
		queries, empty := t.queries, t.empty
		t.mu.Unlock()
		if queries == 0 {
			return func() { <-t.passages }, nil
		}
		select {
		case <-empty:
		case <-ctx.Done():
			<-t.passages
			return nil, ctx.Err() //nolint:wrapcheck // the caller's own
		}
	}
}
