package rag

import (
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/rag/ollama"
)

// memory keeps facts for the searches that follow. Safe for concurrent use.
type memory struct {
	// scopes has facts that only searches of the same scope share: all but the sample.
	scopes  *lru.Cache[scopeKey, facts]
	samples *lru.Cache[sampleKey, *sample]
	models  *lru.Cache[ollama.Model, model]
}

type scopeKey struct {
	tenant     int32
	collection catalog.Collection
	docTypes   string
	model      ollama.Model // the zero value in a search by words alone
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
	var m memory
	m.scopes, _ = lru.New[scopeKey, facts](maxScopes) // fails for a size below 1 alone
	m.samples, _ = lru.New[sampleKey, *sample](maxSamples)
	m.models, _ = lru.New[ollama.Model, model](maxModels)
	return &m
}
