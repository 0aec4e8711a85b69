package db_test

import (
	"log/slog"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/compound-docs/compound-docs/db"
	"github.com/compound-docs/compound-docs/test/testenv"
)

// Passages and their vectors, those of a round, that take the place of the round before.
const (
	writePassages = `WITH w AS (
			INSERT INTO passages (collection, project_id, hash, heading, content, terms, lexical)
			SELECT 'compounding', 1, md5($1::int4 || ' ' || n)::uuid, '', '', '{1}', '{1:1}/1000000000' FROM generate_series(1, 300) n
			RETURNING hash)
		SELECT count(*) FROM w`
	writeVectors = `INSERT INTO embeddings (collection, project_id, model_id, hash, embedding, promoted)
		SELECT 'compounding', 1, 1, md5($1::int4 || ' ' || n)::uuid,
			(SELECT array_agg(sin((n + 300 * $1::int4) * d)) FROM generate_series(1, 1024) d)::halfvec, false
		FROM generate_series(1, 300) n`
)

// An index that is written again and again stays as large as its text needs, and what an
// interrupted REINDEX has left goes. A role that does not own the tables leaves them as they are.
func TestDatabase_CompactKeepsTheIndexSmall(t *testing.T) {
	t.Parallel()
	testenv.Slow(t, "everything is embedded several times")
	url := testenv.IndexURL(t)
	pool := open(t, url)
	database := db.NewDatabase(testenv.Source(url), slog.New(slog.DiscardHandler))
	t.Cleanup(database.Close)
	execute(t, pool, `INSERT INTO projects (name) VALUES ('p')`)
	execute(t, pool, `INSERT INTO embedding_models (name, digest, dimensions, prompt_version) VALUES ('model', '', 1024, 1)`)
	var sizes []int
	for round := range 3 {
		execute(t, pool, writePassages, round)
		execute(t, pool, writeVectors, round)
		execute(t, pool, "DELETE FROM passages WHERE hash NOT IN (SELECT md5($1::int4 || ' ' || n)::uuid FROM generate_series(1, 300) n)", round)
		if round == 1 { // as a REINDEX leaves it that is cancelled
			execute(t, pool, "CREATE INDEX embeddings_compounding_embedding_ccnew ON embeddings_compounding (hash)")
			execute(t, pool, "UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'embeddings_compounding_embedding_ccnew'::regclass")
		}
		must(t, database.Compact(t.Context(), db.CollectionCompounding))
		sizes = append(sizes, number(t, pool, `SELECT sum(pg_relation_size(indexrelid)) + max(pg_table_size(indrelid))
			FROM pg_index WHERE indrelid = 'embeddings_compounding'::regclass`))
	}
	for _, size := range sizes {
		if size > 2*sizes[0] {
			t.Errorf("vectors and their indexes took %d bytes after each round, want at most twice the first", sizes)
			break
		}
	}
	if left := number(t, pool, "SELECT count(*) FROM pg_class WHERE relname LIKE '%\\_cc%'"); left != 0 {
		t.Errorf("%d unfinished indexes are left", left)
	}
}

func execute(t *testing.T, pool *pgxpool.Pool, statement string, arguments ...any) {
	t.Helper()
	if _, err := pool.Exec(t.Context(), statement, arguments...); err != nil {
		t.Fatal(err)
	}
}

func number(t *testing.T, pool *pgxpool.Pool, query string) (n int) {
	t.Helper()
	must(t, pool.QueryRow(t.Context(), query).Scan(&n))
	return n
}
