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
func (s *Workspace) every(interval time.Duration, name string, f func(ctx context.Context)) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		<-s.closed
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
		panics.Restart(ctx, s.logger, name, func() { f(ctx) })
	}
}

// followProject makes the active project follow its branch, its config and its
// schemas.
func (s *Workspace) followProject(ctx context.Context) {
	active := s.current()
	if active == nil || !active.outdated() {
		return
	}
	if _, err := s.refresh(ctx, active); err != nil && ctx.Err() == nil {
		active.forgetConfig()
		s.logger.WarnContext(ctx, "follow the project", "error", err)
	}
}

// followIndex makes the workspace follow what other servers do with its project in
// the index: deletions and activations.
func (s *Workspace) followIndex(ctx context.Context) {
	if err := s.compareWithIndex(ctx); err != nil && ctx.Err() == nil {
		s.logger.DebugContext(ctx, "follow the index", "error", err)
	}
}
