package db

import (
	"context"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
)

// AnalyzeText renews the statistics of documents and of a collection's text, with which queries
// are planned. It skips tables that another session is analyzing or vacuuming.
func (d *Database) AnalyzeText(ctx context.Context, collection Collection) error {
	tables := "documents, document_chunks, document_links, passages_" + string(collection)
	return d.maintain(ctx, "analyze", "ANALYZE (SKIP_LOCKED) "+tables)
}

// AnalyzeVectors does the same for a collection's vectors.
func (d *Database) AnalyzeVectors(ctx context.Context, collection Collection) error {
	return d.maintain(ctx, "analyze", "ANALYZE (SKIP_LOCKED) embeddings_"+string(collection))
}

// MergeTerms moves the pending entries of the GIN indexes of terms into the indexes
// themselves, where a search finds them faster. A vacuum does so too, and PostgreSQL itself
// once there are many. MergeTerms does nothing where the role does not own the indexes.
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

// Compact makes the space that deletions have left in the tables of a collection free for new
// rows, and its HNSW indexes small again. It does nothing in tables that are too large to
// build an HNSW index in memory, where autovacuum and an administrator decide, nor where the
// role does not own them.
//
// Autovacuum alone does not keep up where a small index is written again and again. Removing
// rows from an HNSW graph costs as much as adding them did, and until that is done every new
// row takes new space. Building the whole graph costs a fifth of that, and the vacuum after it
// has nothing to remove.
func (d *Database) Compact(ctx context.Context, collection Collection) error {
	const op = "make the tables compact"
	name := string(collection)
	err := d.onConnection(ctx, op, longReadTimeout, func(ctx context.Context, conn *pgx.Conn) error {
		var few, outgrown bool
		if err := conn.QueryRow(ctx, strings.ReplaceAll(outgrownGraph, "COLLECTION", name)).Scan(&few, &outgrown); err != nil || !few {
			return err //nolint:wrapcheck // retry does
		}
		invalid, err := invalidIndexes(ctx, conn)
		if err != nil {
			return err
		}
		statements := []string{"VACUUM (SKIP_LOCKED) documents, document_chunks, document_links, passages_" + name}
		for _, index := range slices.DeleteFunc(invalid, isIndex) { // of a server that ended meanwhile
			statements = append(statements, mendIndex(index))
		}
		if outgrown {
			statements = append(statements, "REINDEX TABLE CONCURRENTLY embeddings_"+name, "VACUUM (SKIP_LOCKED) embeddings_"+name)
		}
		for _, statement := range statements {
			if _, err := conn.Exec(ctx, statement); err != nil {
				return err //nolint:wrapcheck // retry does
			}
		}
		return nil
	})
	if IsDenied(err) {
		return nil
	}
	return err
}

// outgrownGraph tells whether a collection has few enough passages for its HNSW index to be built
// in memory, and whether the index takes a quarter more than the vectors that are there need. A
// vector takes up to 3,000 bytes of it, with its links.
const outgrownGraph = `
	SELECT texts.few, texts.few AND pg_relation_size('embeddings_COLLECTION_embedding') > greatest(1000000, vectors.count * 3750)
	FROM (SELECT pg_size_bytes(current_setting('maintenance_work_mem')) / 3000 AS most) AS memory,
		LATERAL (SELECT count(*) <= most AS few FROM (SELECT FROM passages_COLLECTION LIMIT most + 1) AS first) AS texts,
		LATERAL (SELECT count(*) FROM (SELECT FROM embeddings_COLLECTION LIMIT most + 1) AS first) AS vectors`

func (d *Database) maintain(ctx context.Context, op, statement string) error {
	return d.onConnection(ctx, op, longReadTimeout, func(ctx context.Context, conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, statement)
		return err //nolint:wrapcheck // retry does
	})
}
