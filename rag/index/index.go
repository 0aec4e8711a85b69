// Package index writes the index that package rag reads. It turns documents into passages with
// their terms, embeds them, keeps their levels, and removes what nobody uses. It knows documents,
// passages and tenants. It must not know where files come from, when they change, or MCP.
package index

import (
	"context"
	"log/slog"

	"golang.org/x/sync/semaphore"

	"github.com/compound-docs/compound-docs/db"
	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/rag/model"
)

// Embedder turns passages into vectors.
type Embedder interface {
	// EmbedModel identifies the model that makes the vectors. The answer may be a moment old.
	EmbedModel(ctx context.Context) (model.Model, error)
	// Embed returns one embedding for each text, in order. An error means that the service as
	// a whole failed. The embedding of a text that the model refuses has an error in it.
	Embed(ctx context.Context, texts []string) ([]model.Embedding, error)
	// EmbedAsQueries does the same for texts that act as queries.
	EmbedAsQueries(ctx context.Context, texts []string) ([]model.Embedding, error)
	// Warm loads the model.
	Warm(ctx context.Context) error
}

// Index is the index in one database, with the model that makes its vectors. Safe for concurrent use.
type Index struct {
	db       *db.Database
	embedder Embedder
	logger   *slog.Logger
	// largeBatches lets one large batch at a time be indexed, see [largeBatch].
	largeBatches *semaphore.Weighted
}

// New returns an Index; nothing is connected yet.
func New(database *db.Database, embedder Embedder, logger *slog.Logger) *Index {
	return &Index{
		db: database, embedder: embedder, logger: logger, largeBatches: semaphore.NewWeighted(1),
	}
}

// Lease returns the lease that makes this process the tenant's only indexer.
func (x *Index) Lease(tenant *catalog.Tenant) *db.Lease { return db.NewLease(x.db, tenant) }

// Used notes that somebody uses this server, and reports whether it was idle; see [db.Database.Used].
func (x *Index) Used() bool { return x.db.Used() }

// Idle reports whether nobody has used this server for a minute.
func (x *Index) Idle() bool { return x.db.Idle() }

// Warm loads the embedding model, so that the first query does not wait for that.
func (x *Index) Warm(ctx context.Context) {
	if err := x.embedder.Warm(ctx); err != nil && ctx.Err() == nil {
		x.logger.DebugContext(ctx, "load the embedding model", "error", err)
	}
}

// transact returns the result of f. run is [db.Database.Read], [db.Database.ReadLong] or [db.Database.Write].
func transact[T any](
	ctx context.Context, run func(ctx context.Context, op string, f func(q *db.Queries) error) error, op string,
	f func(q *db.Queries) (T, error),
) (T, error) {
	var result T
	err := run(ctx, op, func(q *db.Queries) error {
		var err error
		result, err = f(q)
		return err
	})
	return result, err
}

// ignoreNoRows returns nil if err says that a query for one row found none, and err otherwise.
func ignoreNoRows(err error) error {
	if db.IsNoRows(err) {
		return nil
	}
	return err
}

// lockPassagesShared keeps each [Index.Delete] and [Index.Sweep] of the project waiting until the transaction ends.
func lockPassagesShared(ctx context.Context, q *db.Queries, projectID int32) error {
	return q.LockProjectShared(ctx, db.LockProjectSharedParams{Class: db.LockPassages, ProjectID: projectID})
}

// lockPassages waits for the writers of a project, and keeps new ones waiting until the transaction ends.
func lockPassages(ctx context.Context, q *db.Queries, projectID int32) error {
	return q.LockProjectExclusive(ctx, db.LockProjectExclusiveParams{Class: db.LockPassages, ProjectID: projectID})
}
