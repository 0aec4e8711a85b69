package db

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
)

// AnalyzeText renews the planner's statistics about documents and about a collection's text. It skips tables
// that another session is analyzing or vacuuming.
func (d *Database) AnalyzeText(ctx context.Context, collection Collection) error {
	tables := "documents, document_chunks, document_links, passages_" + string(collection)
	return d.maintain(ctx, "analyze", "ANALYZE (SKIP_LOCKED) "+tables)
}

// AnalyzeVectors renews the planner's statistics about a collection's vectors, like AnalyzeText.
func (d *Database) AnalyzeVectors(ctx context.Context, collection Collection) error {
	return d.maintain(ctx, "analyze", "ANALYZE (SKIP_LOCKED) embeddings_"+string(collection))
}

// MergeTerms moves new entries of the GIN indexes of terms from their pending lists into the indexes, so that searches
// are faster. It does nothing if the database role does not own the indexes.
func (d *Database) MergeTerms(ctx context.Context, collections ...Collection) error {
	var merges []string
	for _, collection := range collections {
		merges = append(merges, "gin_clean_pending_list('passages_"+string(collection)+"_terms_idx')")
	}
	err := d.maintain(ctx, "merge terms", "SELECT "+strings.Join(merges, ", "))
	if IsDenied(err) {
		return nil
	}
	return err
}

// Compact frees the space of deleted rows in the tables of a collection, and makes its HNSW indexes small again. It
// does nothing if an HNSW index is too large to be built in memory, or if the database role does not own the tables.
//
// Autovacuum does not keep up with a small index that is often rewritten. A vacuum removes rows from an HNSW graph only
// as fast as inserts add rows, and until its end every new row takes new space. A REINDEX makes the whole graph again
// in a fifth of the time of that vacuum, and leaves nothing to vacuum.
func (d *Database) Compact(ctx context.Context, collection Collection) error {
	const op = "make the tables compact"
	name := string(collection)
	err := d.onConnection(ctx, op, longReadTimeout, func(ctx context.Context, conn *pgx.Conn) error {
		var few, outgrown bool
		if err := conn.QueryRow(ctx, strings.ReplaceAll(outgrownGraph, "COLLECTION", name)).Scan(&few, &outgrown); err != nil || !few {
			return err //nolint:wrapcheck // retry wraps it
		}
		left, err := leftIndexes(ctx, conn)
		if err != nil {
			return err
		}
		statements := []string{"VACUUM (SKIP_LOCKED) documents, document_chunks, document_links, passages_" + name}
		for _, index := range left { // left by a server that ended during a REINDEX
			statements = append(statements, "DROP INDEX CONCURRENTLY "+index)
		}
		if outgrown {
			statements = append(statements, "REINDEX TABLE CONCURRENTLY embeddings_"+name, "VACUUM (SKIP_LOCKED) embeddings_"+name)
		}
		for _, statement := range statements {
			if _, err := conn.Exec(ctx, statement); err != nil {
				return err //nolint:wrapcheck // retry wraps it
			}
		}
		return nil
	})
	if IsDenied(err) {
		return nil
	}
	return err
}

// leftIndexes returns the names of invalid indexes that a failed REINDEX CONCURRENTLY has left behind.
func leftIndexes(ctx context.Context, conn *pgx.Conn) ([]string, error) {
	rows, err := conn.Query(ctx, `
		SELECT indexrelid::regclass::text FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
		WHERE NOT indisvalid AND relkind = 'i' AND relnamespace = to_regnamespace(current_schema())
			AND relname ~ '_cc(new|old)'
			AND NOT EXISTS (SELECT FROM pg_stat_progress_create_index AS made WHERE made.index_relid = indexrelid)
		ORDER BY 1`, pgx.QueryExecModeSimpleProtocol)
	if err != nil {
		return nil, fmt.Errorf("look for the rests of a REINDEX: %w", err)
	}
	return pgx.CollectRows(rows, pgx.RowTo[string]) //nolint:wrapcheck // the callers wrap it
}

// outgrownGraph selects whether a collection's HNSW index can be built in memory, and if so, whether the index is a
// quarter larger than its vectors need. A vector with its links takes up to 3,000 bytes.
const outgrownGraph = `
	SELECT texts.few, texts.few AND pg_relation_size('embeddings_COLLECTION_embedding') > greatest(1000000, vectors.count * 3750)
	FROM (SELECT pg_size_bytes(current_setting('maintenance_work_mem')) / 3000 AS most) AS memory,
		LATERAL (SELECT count(*) <= most AS few FROM (SELECT FROM passages_COLLECTION LIMIT most + 1) AS first) AS texts,
		LATERAL (SELECT count(*) FROM (SELECT FROM embeddings_COLLECTION LIMIT most + 1) AS first) AS vectors`

func (d *Database) maintain(ctx context.Context, op, statement string) error {
	return d.onConnection(ctx, op, longReadTimeout, func(ctx context.Context, conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, statement)
		return err //nolint:wrapcheck // retry wraps it
	})
}
