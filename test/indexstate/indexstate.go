// Package indexstate reads the documents of an index as a test compares them. It
// knows the tables and no package of the product.
package indexstate

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// queryDocuments returns every document of a branch with its chunks, texts, vectors
// and links, one a line.
const queryDocuments = `
	SELECT concat_ws(' ', d.collection, to_json(d.relative_path), encode(d.content_hash, 'hex'), d.chunk_count,
		d.promotion_level,
		(SELECT string_agg(concat_ws('/', c.ordinal, c.start_line, c.end_line, c.promotion_level, c.header_path,
				coalesce(md5(p.heading || p.content), 'NO PASSAGE'), CASE WHEN e.hash IS NULL THEN 'NO VECTOR' END),
				',' ORDER BY c.ordinal)
			FROM document_chunks c
			LEFT JOIN passages p ON p.collection = c.collection AND p.project_id = c.project_id AND p.hash = c.passage_hash
			LEFT JOIN embeddings e ON e.collection = c.collection AND e.project_id = c.project_id AND e.hash = c.passage_hash
				AND e.model_id = t.embedding_model_id
			WHERE c.project_id = d.project_id AND c.document_id = d.id),
		(SELECT string_agg(l.target_path, ',' ORDER BY l.ordinal) FROM document_links l
			WHERE l.project_id = d.project_id AND l.document_id = d.id))
	FROM documents d JOIN tenants t ON t.project_id = d.project_id AND t.id = d.tenant_id
	WHERE t.branch_name = $1 ORDER BY d.collection, d.relative_path COLLATE "C"`

// Documents returns every document of a branch with all that the index holds of
// it, one a line.
func Documents(ctx context.Context, pool *pgxpool.Pool, branch string) ([]string, error) {
	return Lines(ctx, pool, queryDocuments, branch)
}

// Lines returns the rows of a query with one column of text.
func Lines(ctx context.Context, pool *pgxpool.Pool, query string, arguments ...any) ([]string, error) {
	rows, err := pool.Query(ctx, query, arguments...)
	if err != nil {
		return nil, fmt.Errorf("query the index: %w", err)
	}
	return pgx.CollectRows(rows, pgx.RowTo[string]) //nolint:wrapcheck // the query is the caller's
}

// Settling bounds the wait for an index. It is far below the five minutes after
// which a walk of the folder would hide that a change was missed.
const Settling = 2 * time.Minute

// Difference waits until [Documents] of the branch are as wanted, and returns how
// they differ if they do not become so in time.
func Difference(ctx context.Context, pool *pgxpool.Pool, branch string, want []string) (string, error) {
	deadline := time.After(Settling)
	for {
		got, err := Documents(ctx, pool, branch)
		if err != nil || slices.Equal(want, got) {
			return "", err
		}
		select {
		case <-ctx.Done():
			return "", context.Cause(ctx)
		case <-deadline:
			return cmp.Diff(want, got), nil
		case <-time.After(20 * time.Millisecond):
		}
	}
}
