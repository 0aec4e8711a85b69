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

// passage waits until a request for passages may be sent. The caller calls end when the
// request has ended. The error is the context's.
func (t *turns) passage(ctx context.Context) (end func(), err error) {
	select {
	case t.passages <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err() //nolint:wrapcheck // the caller's own
	}
	const pause = 2 * time.Millisecond
	for t.queries.Load() > 0 {
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			<-t.passages
			return nil, ctx.Err() //nolint:wrapcheck // the caller's own
		}
	}
	return func() { <-t.passages }, nil
}
