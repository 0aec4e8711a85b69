package workspace

import (
	"context"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/compound-docs/compound-docs/rag/index"
)

// Searches do not ask git: it is asked once, and again when something has changed.
func TestStaleDocuments_AreFoundOutOnceForAll(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		looks := 0
		s := &staleDocuments{
			root: t.TempDir(), logger: slog.New(slog.DiscardHandler),
			cited: func(context.Context) ([]index.CitedPlaces, error) {
				looks++
				return nil, nil
			},
			due: make(chan struct{}, 1), checked: make(chan struct{}),
		}
		ctx, end := context.WithCancel(t.Context())
		defer end()
		go s.run(ctx)
		for want := 1; want <= 2; want++ {
			for range 3 {
				s.result(ctx, nil)
				time.Sleep(staleAge) // by the clock of the test
				synctest.Wait()
			}
			if looks != want {
				t.Errorf("%d looks, want %d", looks, want)
			}
			signal(s.due) // the commit has changed
			time.Sleep(staleAge)
			synctest.Wait()
		}
	})
}

// A hook does not spend its time on a check that has not ended.
func TestStaleDocuments_LeaveAHookItsTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &staleDocuments{due: make(chan struct{}, 1), checked: make(chan struct{})}
		ctx, cancel := context.WithTimeout(t.Context(), 250*time.Millisecond)
		defer cancel()
		began := time.Now()
		s.result(ctx, nil)
		if took := time.Since(began); took > 50*time.Millisecond {
			t.Errorf("of 250 ms it waits %s", took)
		}
	})
}
