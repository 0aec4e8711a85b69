package index

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/compound-docs/compound-docs/rag/catalog"

	"github.com/google/uuid"
)

// claimWait is how long a caller waits for passages that other callers are embedding.
const claimWait = 50 * time.Millisecond

// claim is a passage that is being embedded in this process.
type claim struct {
	projectID  int32
	collection catalog.Collection
	modelID    int32
	hash       uuid.UUID
}

// claims keep two callers from embedding one passage. Safe for concurrent use.
type claims struct {
	mu   sync.Mutex
	held map[claim]struct{}
}

// take claims the passages that no other caller holds, and returns them. The caller calls
// release when their vectors are stored.
func (c *claims) take(
	projectID int32, collection catalog.Collection, model usedModel, passages []unembedded,
) (taken []unembedded, release func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	key := func(p unembedded) claim {
		return claim{projectID: projectID, collection: collection, modelID: model.id, hash: p.Hash}
	}
	taken = slices.DeleteFunc(passages, func(p unembedded) bool {
		_, held := c.held[key(p)]
		return held
	})
	for _, p := range taken {
		c.held[key(p)] = struct{}{}
	}
	return taken, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		for _, p := range taken {
			delete(c.held, key(p))
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
