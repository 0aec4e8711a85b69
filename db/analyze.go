package db

import (
	"context"

	"github.com/jackc/pgx/v5/pgxpool"
)

// Analyze renews the statistics by which the queries of a collection are planned.
// Tables that somebody else analyzes or vacuums at the moment are left to them.
func (d *Database) Analyze(ctx context.Context, collection Collection) error {
	return d.retry(ctx, "analyze", longReadTimeout, func(ctx context.Context, pool *pgxpool.Pool) error {
		_, err := pool.Exec(ctx, "ANALYZE (SKIP_LOCKED) documents, document_chunks, document_links, passages_"+string(collection))
		return err //nolint:wrapcheck // retry does
	})
}
