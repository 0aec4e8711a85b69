package index

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/compound-docs/compound-docs/db"
	"github.com/compound-docs/compound-docs/rag/catalog"
)

// sweepWritten is the least number of passages that are written between two sweeps that
// come before their time.
const sweepWritten = 250

// Sweeper removes text that no document of a project uses any more: once in an interval,
// whichever server of the project does it, and sooner if the project was written as a
// whole meanwhile, so that the index does not outgrow its documents.
type Sweeper struct {
	index    *Index
	tenant   *catalog.Tenant
	interval time.Duration
	written  atomic.Int64
	wake     chan struct{}
}

// Sweeper returns the sweeper of the tenant's project. No unused text is older than the
// interval while it runs.
func (x *Index) Sweeper(tenant *catalog.Tenant, interval time.Duration) *Sweeper {
	return &Sweeper{index: x, tenant: tenant, interval: interval, wake: make(chan struct{}, 1)}
}

// count notes that passages were written, in the place of others.
func (s *Sweeper) count(passages int) {
	if s == nil || s.written.Add(int64(passages)) < sweepWritten {
		return
	}
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// Run sweeps until ctx ends.
func (s *Sweeper) Run(ctx context.Context) {
	// The interval is divided, since nobody knows when the last server has swept.
	const parts = 10
	tick := time.NewTicker(max(s.interval/parts, time.Millisecond))
	defer tick.Stop()
	for {
		if err := s.sweep(ctx); err != nil && ctx.Err() == nil {
			s.index.logger.WarnContext(ctx, "text that no document uses is not removed yet", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		case <-s.wake:
		}
	}
}

func (s *Sweeper) sweep(ctx context.Context) error {
	due, err := s.outgrown(ctx)
	if err == nil && !due {
		const margin = .8 // the next look may come a tenth of the interval later
		due, err = s.index.claimSweep(ctx, s.tenant.ProjectID, time.Duration(margin*float64(s.interval)))
	}
	if err != nil || !due {
		return err
	}
	s.written.Store(0)
	swept, err := s.index.Sweep(ctx, s.tenant.ProjectID)
	if err != nil || swept == 0 {
		return err
	}
	for _, collection := range collections() {
		if err := s.index.db.Compact(ctx, collection); err != nil {
			return err
		}
	}
	return nil
}

// outgrown reports whether so much was written since the last sweep that a fifth of the
// passages may be unused.
func (s *Sweeper) outgrown(ctx context.Context) (bool, error) {
	written := s.written.Load()
	if written < sweepWritten {
		return false, nil
	}
	used, err := db.ReadOne(ctx, s.index.db, "count passages", (*db.Queries).CleanupCountChunks,
		db.CleanupCountChunksParams{ProjectID: s.tenant.ProjectID})
	return written > used/4, err
}
