// Package index writes the index that package rag reads. It cuts documents into passages, stores the passages with
// their terms, has a model embed them, and removes text that no document uses any more. A tenant is one checkout of a
// repository on one branch. The package must not know where files come from, when they change, or MCP.
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
	// EmbedModel identifies the model that makes the vectors. The answer may be some seconds old.
	EmbedModel(ctx context.Context) (model.Model, error)
	// Embed returns one embedding for each text, in order. If the model refuses a text, the embedding of that text has an
	// Err. An error of Embed means that the whole call failed.
	Embed(ctx context.Context, texts []string) ([]model.Embedding, error)
	// EmbedAsQueries is Embed for texts that are queries. A model may have another prompt for a query.
	EmbedAsQueries(ctx context.Context, texts []string) ([]model.Embedding, error)
	// Warm loads the model.
	Warm(ctx context.Context) error
}

// Index is the index in one database, with the model that makes its vectors. Safe for concurrent use.
type Index struct {
	db       *db.Database
	embedder Embedder
	logger   *slog.Logger
	// largeBatches is held while a large batch of files is indexed; see [largeBatch].
	largeBatches *semaphore.Weighted
}

// New returns an Index; nothing is connected yet.
func New(database *db.Database, embedder Embedder, logger *slog.Logger) *Index {
	return &Index{
		db: database, embedder: embedder, logger: logger, largeBatches: semaphore.NewWeighted(1),
	}
}

// Lease returns a lease, not held yet, that makes its holder the tenant's only indexer.
func (x *Index) Lease(tenant *catalog.Tenant) *db.Lease { return db.NewLease(x.db, tenant) }

// Used notes that somebody uses this server, and reports whether the server was idle until now; see [db.Database.Used].
func (x *Index) Used() bool { return x.db.Used() }

// Idle reports whether nobody has used this server for a minute.
func (x *Index) Idle() bool { return x.db.Idle() }

// Warm loads the embedding model, so that the first query does not wait until it is loaded.
func (x *Index) Warm(ctx context.Context) {
	if err := x.embedder.Warm(ctx); err != nil && ctx.Err() == nil {
		x.logger.DebugContext(ctx, "load the embedding model", "error", err)
	}
}

// transact calls f with the queries of a session of the database, and returns what f returns. run opens the session: it
// is [db.Database.Read], [db.Database.ReadLong] or [db.Database.Write].
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

// ignoreNoRows returns nil if err says that a query for one row found no row, and err otherwise.
func ignoreNoRows(err error) error {
	if db.IsNoRows(err) {
		return nil
	}
	return err
}

// lockPassagesShared is for writers of passages: [Index.Delete] and [Index.sweep] of the project wait until the
// transaction ends. Several writers can hold the lock.
func lockPassagesShared(ctx context.Context, q *db.Queries, projectID int32) error {
	return q.LockProjectShared(ctx, db.LockProjectSharedParams{Class: db.LockPassages, ProjectID: projectID})
}

// lockPassages is for removals: it waits for the present writers of the project's passages. New writers wait for the
// end of the transaction.
func lockPassages(ctx context.Context, q *db.Queries, projectID int32) error {
	return q.LockProjectExclusive(ctx, db.LockProjectExclusiveParams{Class: db.LockPassages, ProjectID: projectID})
}
