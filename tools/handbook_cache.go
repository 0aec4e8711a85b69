package tools

import (
	"fmt"
	"log/slog"
	"sync/atomic"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/compound-docs/compound-docs/rag"
)

// cachedHandbookResults is how many searches are remembered.
const cachedHandbookResults = 100

// handbookCache remembers the results of searches, and counts how often that
// spares one. Safe for concurrent use.
type handbookCache struct {
	entries      *lru.Cache[handbookSearch, []rag.HandbookPassage]
	hits, misses atomic.Int64
	logger       *slog.Logger
}

func newHandbookCache(logger *slog.Logger) *handbookCache {
	entries, err := lru.New[handbookSearch, []rag.HandbookPassage](cachedHandbookResults)
	if err != nil {
		panic(fmt.Sprintf("tools: handbook cache: %v", err)) // of a size below 1
	}
	return &handbookCache{entries: entries, logger: logger}
}

// Get returns what was remembered of a search.
func (c *handbookCache) Get(search handbookSearch) (passages []rag.HandbookPassage, hit bool) {
	passages, hit = c.entries.Get(search)
	counter := &c.misses
	if hit {
		counter = &c.hits
	}
	counter.Add(1)
	c.logger.Debug("handbook cache", "hit", hit, "hits", c.hits.Load(), "misses", c.misses.Load())
	return passages, hit
}

// Add remembers a search in the place of the one that was not asked for longest.
func (c *handbookCache) Add(search handbookSearch, passages []rag.HandbookPassage) {
	c.entries.Add(search, passages)
}
