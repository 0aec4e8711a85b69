package panics_test

import (
	"context"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/compound-docs/compound-docs/internal/panics"
)

func TestRestart_RunsATaskAgainAfterAPanic(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var log strings.Builder
		runs := 0
		panics.Restart(t.Context(), slog.New(slog.NewTextHandler(&log, nil)), "count", func() {
			if runs++; runs < 3 {
				panic("a bug")
			}
		})
		if runs != 3 {
			t.Errorf("%d runs, want 3: two that panic and one that returns", runs)
		}
		if strings.Count(log.String(), "task=count panic=\"a bug\"") != 2 {
			t.Errorf("the log does not tell of both panics:\n%s", log.String())
		}
	})
}

func TestRestart_EndsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	runs := 0
	panics.Restart(ctx, slog.New(slog.DiscardHandler), "end", func() {
		runs++
		cancel()
		panic("a bug")
	})
	if runs != 1 {
		t.Errorf("%d runs, want one: the context has ended", runs)
	}
}
