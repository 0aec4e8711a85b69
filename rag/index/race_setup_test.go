package index_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/internal/document"
	"github.com/compound-docs/compound-docs/rag/index"
	"github.com/compound-docs/compound-docs/test/await"
)

// server is another process's index in the fixture's database.
func (f *fixture) server(t *testing.T) (x *index.Index, stop func()) {
	t.Helper()
	database := f.SecondDatabase(t)
	return f.NewIndex(database, f.NewModels(t, 0)), database.Close
}

// until polls the database until the query's one column is the text true.
func (f *fixture) until(t *testing.T, query string) {
	t.Helper()
	await.Until(t, query, func() bool { return f.Rows(t, query)[0] == "true" })
}

// checkNoDeadlocks fails if PostgreSQL has had to end one. A backend reports the
// deadlocks that it met before it goes.
func (f *fixture) checkNoDeadlocks(t *testing.T, stops ...func()) {
	t.Helper()
	for _, stop := range stops {
		stop()
	}
	f.Pool.Reset()
	f.until(t, `SELECT (count(*) = 1)::text FROM pg_stat_activity WHERE datname = current_database()`)
	if got := f.Rows(t, `SELECT deadlocks::text FROM pg_stat_database WHERE datname = current_database()`); got[0] != "0" {
		t.Errorf("%s deadlocks", got[0])
	}
}

// checkWhole fails if a document is half-written, or something was left behind.
func (f *fixture) checkWhole(t *testing.T) {
	t.Helper()
	got := f.Rows(t, `
		SELECT 'half-written: ' || relative_path FROM documents d WHERE greatest(chunk_count, 1) <>
			(SELECT count(*) FROM document_chunks c JOIN passages p ON p.project_id = c.project_id AND p.hash = c.passage_hash
				AND p.collection = c.collection WHERE c.document_id = d.id AND c.promotion_level = d.promotion_level)
		UNION ALL SELECT 'project without tenants: ' || name FROM projects p WHERE NOT EXISTS (SELECT 1 FROM tenants WHERE project_id = p.id)
		UNION ALL SELECT 'passage without project: ' || heading FROM passages WHERE project_id NOT IN (SELECT id FROM projects)`)
	if diff := cmp.Diff([]string{}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func twoDocuments() []document.File {
	return []document.File{
		file("docs/a.md", "See [b](b.md).", "", section("One", "apples"), section("Two", "pears")), file("docs/b.md", "# B", "", "Plums."),
	}
}

func wholeProject(f *fixture) index.Selection { return index.Selection{Project: f.Tenant.Key.Project} }
