package db

import (
	"context"
	"strings"

	"github.com/jackc/pgx/v5/pgxpool"
)

// Tables are the tables of a collection that are filled together.
type Tables int

// The tables of documents and their text, and the table of vectors.
const (
	TextTables Tables = iota
	VectorTables
)

// Analyze renews the statistics that the queries of a collection are planned with. It skips
// tables that another session is analyzing or vacuuming.
func (d *Database) Analyze(ctx context.Context, collection Collection, tables Tables) error {
	statement := "ANALYZE (SKIP_LOCKED) documents, document_chunks, document_links, passages_" + string(collection)
	if tables == VectorTables {
		statement = "ANALYZE (SKIP_LOCKED) embeddings_" + string(collection)
	}
	return d.maintain(ctx, "analyze", statement)
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

func (d *Database) maintain(ctx context.Context, op, statement string) error {
	return d.retry(ctx, op, longReadTimeout, func(ctx context.Context, pool *pgxpool.Pool) error {
		_, err := pool.Exec(ctx, statement)
		return err //nolint:wrapcheck // retry does
	})
}
