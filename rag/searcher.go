// Package rag answers questions from the index: search, the graph of links between
// documents, and answers from a language model. It reads the index, which package
// index writes. It must not know where files come from, when they change, or MCP.
package rag

import (
	"context"
	"log/slog"
	"sync"

	"github.com/google/uuid"
	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/compound-docs/compound-docs/db"
	"github.com/compound-docs/compound-docs/rag/ollama"
)

// QueryEmbedder turns a query into a vector.
type QueryEmbedder interface {
	ModelSource
	// EmbedQuery returns the vector to search with; its Err is nil.
	EmbedQuery(ctx context.Context, query string) (ollama.Embedding, error)
}

// Generator writes an answer.
type Generator interface {
	Generate(ctx context.Context, prompt ollama.Prompt, onText func(text string)) (string, error)
	// ContextWindow is how many tokens prompt and answer may have together.
	ContextWindow(ctx context.Context) int
}

// Searcher searches an index and answers questions from it. Safe for concurrent
// use.
type Searcher struct {
	db        *db.Database
	embedder  QueryEmbedder
	generator Generator
	logger    *slog.Logger
	memory    *memory
	// unembedded may be nil.
	unembedded func(tenant *Tenant, collection Collection, hashes []uuid.UUID)
	// links has the link graphs of the tenants that were asked last, by their ID.
	// linksMu makes one step of replacing a graph and of comparing the two.
	links   *lru.Cache[int32, linkCache]
	linksMu sync.Mutex
}

// maxLinkGraphs is how many tenants' link graphs a Searcher keeps in memory.
const maxLinkGraphs = 8

// NewSearcher returns a Searcher; nothing is connected yet. Without a generator it
// can search, and answer nothing.
func NewSearcher(database *db.Database, embedder QueryEmbedder, generator Generator, logger *slog.Logger) *Searcher {
	return &Searcher{
		db: database, embedder: embedder, generator: generator, logger: logger,
		memory: newMemory(), links: newCache[int32, linkCache](maxLinkGraphs),
	}
}

// OnUnembedded has f called with the passages among a search's results that were not
// compared by a vector, since they have none, or since the search was for words alone.
// People have just asked for them. f must not wait. OnUnembedded must come before
// the first search.
func (s *Searcher) OnUnembedded(f func(tenant *Tenant, collection Collection, hashes []uuid.UUID)) {
	s.unembedded = f
}

// Scope selects the documents of a search.
type Scope struct {
	Tenant     *Tenant
	Collection Collection
}

// CountByType returns how many documents each doc-type has in the scope.
func (s *Searcher) CountByType(ctx context.Context, scope Scope) (map[string]int, error) {
	counts := map[string]int{}
	err := s.db.Read(ctx, "count documents", func(q *db.Queries) error {
		rows, err := q.DocumentCountByType(ctx, db.DocumentCountByTypeParams{
			ProjectID: scope.Tenant.ProjectID, TenantID: scope.Tenant.ID, Collection: scope.Collection,
		})
		for _, row := range rows {
			counts[row.DocType] = int(row.Documents)
		}
		return err
	})
	return counts, err
}

// TenantKey names one checkout on one branch.
type TenantKey = db.TenantKey

// Tenant is a registered checkout. Every read and write of the index is inside
// one.
type Tenant = db.Tenant

// Collection is a kind of documents that is searched apart from the others.
type Collection = db.Collection

// The collections.
const (
	Compounding = db.CollectionCompounding
	External    = db.CollectionExternal
	Handbook    = db.CollectionHandbook
)

// Level is how prominent a document is; see [Levels].
type Level = db.PromotionLevel

// The promotion levels.
const (
	Standard  = db.PromotionLevelStandard
	Important = db.PromotionLevelImportant
	Critical  = db.PromotionLevelCritical
)

// Levels returns the promotion levels in rising order.
func Levels() []Level { return []Level{Standard, Important, Critical} }
