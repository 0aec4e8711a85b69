package ollama

import (
	"context"
	"errors"
	"net"
	"sync"
	"time"
)

// whileAlive runs call until a time limit, and asks the server for its version meanwhile. It
// cancels call with a *timeoutError when such a probe is not answered in time. A server that
// loads a model or computes still answers probes; without them, a server that is suspended
// or unreachable would hold call until its own timeout of minutes.
func (c *Client) whileAlive(ctx context.Context, limit *timeoutError, call func(ctx context.Context) error) error {
	return withDeadline(ctx, limit, func(ctx context.Context) error {
		ctx, cancel := context.WithCancelCause(ctx)
		var watching sync.WaitGroup
		watching.Go(func() { c.probe(ctx, cancel) })
		err := causeOf(ctx, call(ctx))
		cancel(nil)
		watching.Wait()
		return err
	})
}

// probe asks for the version now and then, until ctx ends or a probe is not answered.
func (c *Client) probe(ctx context.Context, cancel context.CancelCauseFunc) {
	patience := c.cfg.ProbeTimeout
	pause := time.NewTimer(patience / 3)
	defer pause.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-pause.C:
		}
		err := withTimeout(ctx, patience, func(ctx context.Context) error {
			_, err := c.api.Version(ctx)
			return err //nolint:wrapcheck // only tested for a timeout
		})
		if ctx.Err() == nil && isTimeout(err) {
			cancel(&timeoutError{after: patience})
			return
		}
		pause.Reset(patience / 3)
	}
}

// isTimeout reports whether a probe got no answer, or no connection, in time.
func isTimeout(err error) bool {
	if _, ok := errors.AsType[*timeoutError](err); ok {
		return true
	}
	network, ok := errors.AsType[net.Error](err)
	return ok && network.Timeout()
}
