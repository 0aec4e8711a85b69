package model

import (
	"context"
	"sync/atomic"
	"time"
)

// turns lets queries overtake passages. Ollama embeds one text after the other, in the
// order of the requests, so a query would wait for everything that was sent before it.
// Therefore at most one request for passages is sent at a time, and none while a query
// waits for its vector.
type turns struct {
	queries  atomic.Int32  // those that wait for their vector
	passages chan struct{} // holds an element while a request for passages runs
}

// begin waits until a request for passages may be sent. The caller calls end after the
// request. The error is the context's.
func (t *turns) begin(ctx context.Context) error {
	select {
	case t.passages <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err() //nolint:wrapcheck // the caller's own
	}
	const pause = 2 * time.Millisecond
	for t.queries.Load() > 0 {
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			t.end()
			return ctx.Err() //nolint:wrapcheck // the caller's own
		}
	}
	return nil
}

func (t *turns) end() { <-t.passages }
