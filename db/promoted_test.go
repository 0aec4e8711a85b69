package db_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sync/errgroup"

	"github.com/compound-docs/compound-docs/test/testenv"
)

// A write that gives chunks a higher level promotes their passages. Writers that promote the same
// passages at once, in different orders, wait for each other and never deadlock.
func TestPromotedPassages(t *testing.T) {
	t.Parallel()
	pool := open(t, testenv.IndexURL(t))
	for _, statement := range []string{
		"DROP INDEX embeddings_compounding_embedding, embeddings_compounding_promoted", // which take time, and no part in this
		`INSERT INTO projects (name) VALUES ('p')`,
		`INSERT INTO tenants (project_id, branch_name, path_hash, repo_root) SELECT 1, 'branch ' || n, '', '' FROM generate_series(1, 2) n`,
		`INSERT INTO documents (id, project_id, tenant_id, collection, relative_path, title, summary, tags, doc_type, doc_date,
			promotion_level, content_hash, schema_hash, char_count, file_size, file_mtime, file_ctime, file_inode, chunk_count)
			SELECT n, 1, n, 'compounding', 'a.md', '', '', '', '', '', 'critical', '', '', 0, 0, now(), 'epoch', 0, 0
			FROM generate_series(1, 2) n`,
		`INSERT INTO passages (collection, project_id, hash, heading, content, terms, lexical)
			SELECT 'compounding', 1, md5(n::text)::uuid, '', '', '{1}', '{1:1}/1000000000' FROM generate_series(1, 1000) n`,
		`INSERT INTO embedding_models (name, digest, dimensions, prompt_version) VALUES ('model', '', 1024, 1)`,
		`INSERT INTO embeddings (collection, project_id, model_id, hash, embedding, promoted)
			SELECT 'compounding', 1, 1, md5(n::text)::uuid,
				(SELECT array_agg(sin(n * d)) FROM generate_series(1, 1024) d)::halfvec, false
			FROM generate_series(1, 1000) n`,
	} {
		if _, err := pool.Exec(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	// Both branches run the statement at once, on the branch's number.
	promote := func(name, statement string) {
		var group errgroup.Group
		for branch := 1; branch <= 2; branch++ {
			group.Go(func() error {
				_, err := pool.Exec(t.Context(), statement, branch)
				return err
			})
		}
		if err := group.Wait(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for _, table := range []string{"passages", "embeddings"} {
			var promoted, standard int
			if err := pool.QueryRow(t.Context(),
				"SELECT count(*) FILTER (WHERE promoted), count(*) FILTER (WHERE NOT promoted) FROM "+table).Scan(&promoted, &standard); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]int{1000, 0}, []int{promoted, standard}); diff != "" {
				t.Errorf("%s: %s promoted and not (-want +got):\n%s", name, table, diff)
			}
		}
	}
	promote("inserted", `INSERT INTO document_chunks (project_id, tenant_id, document_id, collection, ordinal, start_line, end_line,
			promotion_level, passage_hash, header_path)
		SELECT 1, $1::integer, $1::integer, 'compounding', n, 1, 1, 'critical', md5(n::text)::uuid, ''
		FROM generate_series(1, 1000) n ORDER BY n * (3 - 2 * $1::integer)`)
	for _, statement := range []string{
		"UPDATE document_chunks SET promotion_level = 'standard'",
		"UPDATE passages SET promoted = false",
		"UPDATE embeddings SET promoted = false",
	} {
		if _, err := pool.Exec(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	promote("updated", "UPDATE document_chunks SET promotion_level = 'important' WHERE tenant_id = $1")
}
