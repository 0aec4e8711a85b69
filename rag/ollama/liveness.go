package ollama

import (
	"context"
	"errors"
	"net"
	"sync"
	"time"

	"github.com/ollama/ollama/api"
)

// withLivenessProbe runs call and asks the server for its version meanwhile. It
// cancels call with a *timeoutError when such a probe is not answered within
// patience. A server that loads a model or computes still answers probes; without
// them, a server that is suspended or unreachable would hold call until its own
// timeout of minutes.
func withLivenessProbe(
	ctx context.Context, client *api.Client, patience time.Duration, call func(ctx context.Context) error,
) error {
	ctx, cancel := context.WithCancelCause(ctx)
	var watching sync.WaitGroup
	watching.Go(func() {
		pause := time.NewTimer(patience / 3)
		defer pause.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-pause.C:
			}
			err := withTimeout(ctx, patience, func(ctx context.Context) error {
				return withBounds(ctx, smallAnswerBounds(), func(ctx context.Context) error {
					_, err := client.Version(ctx)
					return err //nolint:wrapcheck // only tested for a timeout
				})
			})
			if ctx.Err() == nil && isTimeout(err) {
				cancel(&timeoutError{after: patience})
				return
			}
			pause.Reset(patience / 3)
		}
	})
	err := causeOf(ctx, call(ctx))
	cancel(nil)
	watching.Wait()
	return err
}

// isTimeout reports whether a probe got no answer, or no connection, in time.
func isTimeout(err error) bool {
	if _, ok := errors.AsType[*timeoutError](err); ok {
		return true
	}
	network, ok := errors.AsType[net.Error](err)
	return ok && network.Timeout()
}
