package workspace

import (
	"context"
	"time"

	"github.com/compound-docs/compound-docs/internal/panics"
)

// checkoutPoll is how often branch and config are checked between calls. Every call
// checks the branch itself.
const checkoutPoll = time.Second

// every calls f once an interval until the workspace is closed. name says in the
// log what f does.
func (w *Workspace) every(interval time.Duration, name string, f func(ctx context.Context)) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		<-w.closed
		cancel()
	}()
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		panics.Restart(ctx, w.logger, name, func() { f(ctx) })
	}
}

// followProject makes the active project follow its branch, its config and its
// schemas.
func (w *Workspace) followProject(ctx context.Context) {
	active := w.current()
	if active == nil || !active.outdated() {
		return
	}
	if _, err := w.refresh(ctx, active); err != nil && ctx.Err() == nil {
		active.forgetConfig()
		w.logger.WarnContext(ctx, "follow the project", "error", err)
	}
}

// followIndex makes the workspace follow what other servers do with its project in
// the index: deletions and activations.
func (w *Workspace) followIndex(ctx context.Context) {
	if err := w.compareWithIndex(ctx); err != nil && ctx.Err() == nil {
		w.logger.DebugContext(ctx, "follow the index", "error", err)
	}
}
