package db

import (
	"context"

	"github.com/jackc/pgx/v5/pgxpool"
)

// Tables are the tables of a collection that are filled together.
type Tables int

// The text of documents with what belongs to it, and the vectors.
const (
	TextTables Tables = iota
	VectorTables
)

// Analyze renews the statistics by which the queries of a collection are planned, and
// moves new entries of the index of terms to where a search finds them at once.
// Tables that another session analyzes or vacuums at the moment are left to it.
func (d *Database) Analyze(ctx context.Context, collection Collection, tables Tables) error {
	statements := []string{
		"ANALYZE (SKIP_LOCKED) documents, document_chunks, document_links, passages_" + string(collection),
		"SELECT gin_clean_pending_list('passages_" + string(collection) + "_terms_idx')",
	}
	if tables == VectorTables {
		statements = []string{"ANALYZE (SKIP_LOCKED) embeddings_" + string(collection)}
	}
	return d.retry(ctx, "analyze", longReadTimeout, func(ctx context.Context, pool *pgxpool.Pool) error {
		for _, statement := range statements {
			if _, err := pool.Exec(ctx, statement); err != nil {
				return err //nolint:wrapcheck // retry does
			}
		}
		return nil
	})
}
