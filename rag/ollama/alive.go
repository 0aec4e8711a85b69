package ollama

import (
	"context"
	"errors"
	"net"
	"sync"
	"time"

	"github.com/ollama/ollama/api"
)

// whileAnswering runs call, and gives it up when the host leaves a small request
// beside it unanswered for as long as patience. A host that loads a model, or
// computes, answers those; one that is paused, or cut off without a word, would
// otherwise hold the call for its minutes.
func whileAnswering(
	ctx context.Context, client *api.Client, patience time.Duration, call func(ctx context.Context) error,
) error {
	ctx, giveUp := context.WithCancelCause(ctx)
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
				return within(ctx, smallAnswer(), func(ctx context.Context) error {
					_, err := client.Version(ctx)
					return err //nolint:wrapcheck // only looked at
				})
			})
			if ctx.Err() == nil && isSilence(err) {
				giveUp(&timeoutError{after: patience})
				return
			}
			pause.Reset(patience / 3)
		}
	})
	err := causeOf(ctx, call(ctx))
	giveUp(nil)
	watching.Wait()
	return err
}

// isSilence says that nothing came back: no answer, or no connection.
func isSilence(err error) bool {
	if _, ok := errors.AsType[*timeoutError](err); ok {
		return true
	}
	network, ok := errors.AsType[net.Error](err)
	return ok && network.Timeout()
}
