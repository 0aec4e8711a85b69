package ollama

import (
	"context"
	"errors"
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
				_, err := client.Version(ctx)
				return err //nolint:wrapcheck // only looked at
			})
			if timeout, ok := errors.AsType[*timeoutError](err); ok {
				giveUp(timeout)
				return
			}
			pause.Reset(patience)
		}
	})
	err := causeOf(ctx, call(ctx))
	giveUp(nil)
	watching.Wait()
	return err
}
