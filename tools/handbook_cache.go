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

// handbookFound is what a search found in an edition of the handbook. The edition
// changes with the handbook, by whatever process.
type handbookFound struct {
	edition  rag.HandbookEdition
	passages []rag.HandbookPassage
	// sections are those that the handbook has, when there are no passages.
	sections []string
}

// handbookCache remembers what searches found, and counts hits and misses. Safe
// for concurrent use.
type handbookCache struct {
	entries      *lru.Cache[handbookSearch, handbookFound]
	hits, misses atomic.Int64
	logger       *slog.Logger
}

func newHandbookCache(logger *slog.Logger) *handbookCache {
	entries, err := lru.New[handbookSearch, handbookFound](cachedHandbookResults)
	if err != nil {
		panic(fmt.Sprintf("tools: handbook cache: %v", err)) // of a size below 1
	}
	return &handbookCache{entries: entries, logger: logger}
}

// count notes whether a search was answered from the cache.
func (c *handbookCache) count(hit bool) {
	counter := &c.misses
	if hit {
		counter = &c.hits
	}
	counter.Add(1)
	c.logger.Debug("handbook cache", "hit", hit, "hits", c.hits.Load(), "misses", c.misses.Load())
}
