package tools

import (
	"fmt"
	"log/slog"
	"sync/atomic"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/rag/index"
)

// cachedHandbookResults is how many searches the cache holds.
const cachedHandbookResults = 100

// handbookFound is the result of a search in one edition of the handbook. Every change
// of the handbook, by any process, makes a new edition.
type handbookFound struct {
	edition  index.HandbookEdition
	passages []rag.Hit
	// altered is how many were left out.
	altered int
	// sections lists those of the handbook. It is set only if there are no passages.
	sections []string
}

// handbookCache holds the results of searches, and counts hits and misses. It is safe
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

// count counts a search, and logs whether the cache answered it.
func (c *handbookCache) count(hit bool) {
	counter := &c.misses
	if hit {
		counter = &c.hits
	}
	counter.Add(1)
	c.logger.Debug("handbook cache", "hit", hit, "hits", c.hits.Load(), "misses", c.misses.Load())
}
