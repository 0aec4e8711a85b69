package rag

import (
	"fmt"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/rag/ollama"
)

// memory keeps facts for the searches that follow. Safe for concurrent use.
type memory struct {
	scopes  *lru.Cache[scopeKey, scopeFacts]
	samples *lru.Cache[sampleKey, *sample]
	models  *lru.Cache[ollama.Model, model]
}

type scopeKey struct {
	tenant     int32
	collection catalog.Collection
	docTypes   string
	model      ollama.Model // the zero value in a search by words alone
}

// scopeFacts are those that only searches of the same scope share, as of a version of
// the tenant's documents.
type scopeFacts struct {
	facts

	// progressOf and sizesOf are when the progress and the sizes of the indexes were read.
	progressOf, sizesOf time.Time
}

const (
	// recountAfter is how long the progress of a scope that lacks vectors is kept, for
	// each of its passages: some hundred times as long as counting takes.
	recountAfter = 200 * time.Microsecond
	// resizeAfter is how long the sizes of indexes are kept.
	resizeAfter = time.Minute
)

func newMemory() *memory {
	const maxScopes, maxModels = 1000, 16
	return &memory{
		scopes: newCache[scopeKey, scopeFacts](maxScopes), samples: newCache[sampleKey, *sample](maxSamples),
		models: newCache[ollama.Model, model](maxModels),
	}
}

// forget drops everything: it was of another database.
func (m *memory) forget() {
	m.scopes.Purge()
	m.samples.Purge()
	m.models.Purge()
}

// newCache returns a cache of the size, which must be at least 1.
func newCache[K comparable, V any](size int) *lru.Cache[K, V] {
	cache, err := lru.New[K, V](size)
	if err != nil {
		panic(fmt.Sprintf("rag: cache of %d: %v", size, err))
	}
	return cache
}
