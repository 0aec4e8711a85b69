package index

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"
)

// claimWait is how long a caller waits for passages that other callers are embedding.
const claimWait = 50 * time.Millisecond

// claims are the passages that are being embedded in this process, so that no two callers
// embed one. Safe for concurrent use.
type claims struct {
	mu   sync.Mutex
	held map[uuid.UUID]struct{}
}

// take claims the passages that no other caller holds, and returns them. The caller calls
// release when their vectors are stored.
func (c *claims) take(passages []unembedded) (taken []unembedded, release func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	taken = slices.DeleteFunc(passages, func(p unembedded) bool {
		_, held := c.held[p.Hash]
		return held
	})
	for _, p := range taken {
		c.held[p.Hash] = struct{}{}
	}
	return taken, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		for _, p := range taken {
			delete(c.held, p.Hash)
		}
	}
}

// sleep waits, or returns the error of ctx.
func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err() //nolint:wrapcheck // the caller knows why
	case <-time.After(d):
		return nil
	}
}
