// Package index writes the index that package rag reads: it turns documents into
// passages with vectors, keeps their levels, and removes what is no longer needed.
// It knows documents, passages and tenants; it must not know where files come from,
// when they change, or MCP.
package index

import (
	"context"
	"log/slog"

	"golang.org/x/sync/semaphore"

	"github.com/compound-docs/compound-docs/db"
	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/rag/ollama"
)

// Embedder turns passages into vectors.
type Embedder interface {
	rag.ModelSource
	// Embed returns one embedding a text, in order. An error means that the
	// service as a whole failed; a text that cannot be embedded has its own.
	Embed(ctx context.Context, texts []string) ([]ollama.Embedding, error)
}

// Index is the index in one database, with the model that makes its vectors. Safe
// for concurrent use.
type Index struct {
	db       *db.Database
	embedder Embedder
	logger   *slog.Logger
	// writers limits how many documents are written at once; see maxWriters.
	writers *semaphore.Weighted
	// largeBatches lets one batch at a time that takes much memory be indexed.
	largeBatches *semaphore.Weighted
}

// New returns an Index; nothing is connected yet.
func New(database *db.Database, embedder Embedder, logger *slog.Logger) *Index {
	return &Index{
		db: database, embedder: embedder, logger: logger,
		writers: semaphore.NewWeighted(maxWriters), largeBatches: semaphore.NewWeighted(1),
	}
}

// Lead runs f while this process is the tenant's one indexer; see
// [db.Database.Lead].
func (x *Index) Lead(ctx context.Context, tenant *rag.Tenant, f func(ctx context.Context), waiting func(reason error)) {
	x.db.Lead(ctx, tenant, f, waiting)
}
