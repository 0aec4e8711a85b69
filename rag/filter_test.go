package rag_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/rag/catalog"
)

// copies is how many copies there are of each document that a filter lets through: more
// passages than are compared one by one.
const copies = 1100

// builtIn stands for a hybrid search without a model server.
const builtIn rag.Mode = "built in"

// Each field of the filter holds in every way of searching: by words, by built-in vectors, by the exact
// comparison and by both HNSW indexes.
func TestFilter_HoldsInEveryPlan(t *testing.T) {
	t.Parallel()
	f := setup(t)
	for _, level := range catalog.Levels()[:2] {
		for _, docType := range []string{"tool", "problem"} {
			f.Add(t, f.Tenant, file("docs/"+docType+"/"+string(level)+".md", "---", "promotion_level: "+string(level), "---",
				"# Pumps", "", "A pump of "+docType+" "+string(level)+" runs dry."))
		}
	}
	f.Add(t, f.Tenant, file("docs/problem/rejected.md", "---", "status: rejected", "---", "# Pump", "", "A pump of a pump: pump."))
	small, scope := f.Branch(t, "small"), f.Scope()
	// Built after the load, the graphs cost an eighth.
	rows, err := f.Pool.Query(t.Context(), "SELECT indexdef FROM pg_indexes WHERE tablename = 'embeddings_compounding' AND indexdef LIKE '%hnsw%'")
	if err != nil {
		t.Fatal(err)
	}
	graphs, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil || len(graphs) != 2 {
		t.Fatalf("graphs %q, want two: %v", graphs, err)
	}
	f.exec(t, "DROP INDEX embeddings_compounding_embedding, embeddings_compounding_promoted")
	f.copyTo(t, small, 40)
	f.copyTo(t, f.Tenant, copies)
	for _, graph := range graphs {
		f.exec(t, graph)
	}
	var some []int64
	for _, hit := range f.search(t, scope, rag.Query{Text: "pump", Limit: 3}).Documents {
		some = append(some, hit.ID)
	}
	cases := map[string]struct {
		filter rag.Filter
		wanted func(hit rag.Hit) bool
		plans  []string
	}{
		"Levels": {
			rag.Filter{Levels: []catalog.Level{catalog.Important}},
			func(hit rag.Hit) bool { return hit.Level == catalog.Important },
			[]string{"hnsw"},
		},
		"DocTypes": {
			rag.Filter{DocTypes: []string{"tool"}},
			func(hit rag.Hit) bool { return hit.DocType == "tool" },
			[]string{"hnsw", "hnsw"},
		},
		"Statuses": {
			rag.Filter{Statuses: []catalog.Status{catalog.Active}},
			func(hit rag.Hit) bool { return hit.Holds() },
			[]string{"hnsw", "hnsw"},
		},
		"Documents": {
			rag.Filter{Documents: some},
			func(hit rag.Hit) bool { return slices.Contains(some, hit.ID) },
			[]string{"exact", "exact"}, // they are few
		},
	}
	serverless := f.NewSearcher(noServer{})
	for _, field := range reflect.VisibleFields(reflect.TypeFor[rag.Filter]()) {
		test, ok := cases[field.Name]
		if !ok {
			t.Errorf("no case filters by %s", field.Name)
			continue
		}
		for _, mode := range append(rag.Modes(), builtIn) {
			for _, of := range []catalog.Scope{scope, {Tenant: small, Collection: catalog.Compounding}} {
				query := rag.Query{Text: "pump", Mode: mode, Limit: 3 * copies} // all documents
				searcher := f.Searcher
				if mode == builtIn {
					query.Text, query.Mode, searcher = "machine that moves water", rag.Hybrid, serverless
				}
				unfiltered, err := searcher.Search(t.Context(), of, query)
				if err != nil {
					t.Fatal(err)
				}
				query.Filter = test.filter
				if mode != builtIn { // which compares all passages anyway
					query.Limit = 200
				}
				filtered, err := searcher.Search(t.Context(), of, query)
				if err != nil {
					t.Fatal(err)
				}
				unwanted := func(hit rag.Hit) bool { return !test.wanted(hit) }
				if !slices.ContainsFunc(unfiltered.Documents, unwanted) {
					t.Errorf("in mode %s %s has nothing to leave out of %d documents", mode, field.Name, len(unfiltered.Documents))
				}
				hits := filtered.Documents
				if of == scope && len(hits) == 0 || slices.ContainsFunc(hits, unwanted) {
					t.Errorf("by %s in mode %s %d documents are found, want some, and all of them wanted", field.Name, mode, len(hits))
				}
			}
		}
		query := rag.Query{Text: "pump", Mode: rag.Vector, Filter: test.filter, Limit: 5}
		if got := f.plans(t, scope, query); !slices.Equal(got, test.plans) {
			t.Errorf("by %s the large tenant is searched by %v, want %v", field.Name, got, test.plans)
		}
		if got := f.plans(t, catalog.Scope{Tenant: small, Collection: catalog.Compounding}, query); slices.Contains(got, "hnsw") {
			t.Errorf("by %s the small tenant is searched by %v, want no scan", field.Name, got)
		}
		// The plan depends on how many passages the filter lets through. Those of a list of documents are not counted.
		for _, of := range []catalog.Scope{scope, {Tenant: small, Collection: catalog.Compounding}} {
			let, all := f.explain(t, of, query).Passages, f.explain(t, of, rag.Query{Text: "pump", Limit: 5}).Passages
			if let >= all && test.filter.Documents == nil {
				t.Errorf("by %s %d of %d passages count as possible results", field.Name, let, all)
			}
		}
	}
}

func (f *fixture) exec(t *testing.T, statement string) {
	t.Helper()
	if _, err := f.Pool.Exec(t.Context(), statement); err != nil {
		t.Fatal(err)
	}
}

func (f *fixture) search(t *testing.T, scope catalog.Scope, query rag.Query) rag.Hits {
	t.Helper()
	hits, err := f.Searcher.Search(t.Context(), scope, query)
	if err != nil {
		t.Fatal(err)
	}
	return hits
}

func (f *fixture) explain(t *testing.T, scope catalog.Scope, query rag.Query) rag.Explanation {
	t.Helper()
	explained, err := f.Searcher.Explain(t.Context(), scope, query)
	if err != nil {
		t.Fatal(err)
	}
	return explained
}

func (f *fixture) plans(t *testing.T, scope catalog.Scope, query rag.Query) (plans []string) {
	t.Helper()
	for _, plan := range f.explain(t, scope, query).Plans {
		plans = append(plans, plan.Plan)
	}
	return plans
}

// copyTo gives a tenant copies of the documents of f.Tenant, each with a new passage and vector. It
// makes count copies of tools, and a tenth of the others.
func (f *fixture) copyTo(t *testing.T, tenant *catalog.Tenant, count int) {
	t.Helper()
	// One connection, because the table is temporary.
	conn, err := f.Pool.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Release()
	for _, statement := range []string{
		`UPDATE documents SET doc_type = split_part(relative_path, '/', 2)`,
		`DROP TABLE IF EXISTS copied`, `CREATE SEQUENCE IF NOT EXISTS copies START 1000000`,
		`CREATE TEMP TABLE copied AS
			SELECT c.project_id, c.document_id, c.ordinal, c.passage_hash, n,
				md5(c.passage_hash::text || $1::integer || ' ' || n)::uuid AS hash, nextval('copies') AS id
			FROM document_chunks c JOIN documents d ON d.id = c.document_id
			CROSS JOIN LATERAL generate_series(1, CASE d.doc_type WHEN 'tool' THEN $2::integer ELSE $2::integer / 10 END) n
			WHERE c.tenant_id = $3::integer AND c.ordinal = 0`,
		`INSERT INTO documents (project_id, tenant_id, id, collection, relative_path, title, summary, tags, doc_type, doc_date, status, promotion_level,
				content_hash, schema_hash, char_count, file_size, file_mtime, file_ctime, file_inode, chunk_count)
			SELECT d.project_id, $1::integer, c.id, collection, n || d.relative_path,
				title, summary, tags, doc_type, doc_date, status, promotion_level,
				content_hash, schema_hash, char_count, file_size, file_mtime, file_ctime, file_inode, chunk_count
			FROM documents d JOIN copied c ON c.document_id = d.id WHERE $2::integer > 0 AND $3::integer > 0`,
		`INSERT INTO passages (collection, project_id, hash, heading, content, terms, lexical, meaning, promoted)
			SELECT p.collection, p.project_id, c.hash, heading, content, terms, lexical, meaning, promoted
			FROM passages p JOIN copied c ON c.passage_hash = p.hash WHERE $1::integer + $2::integer + $3::integer > 0`,
		`INSERT INTO embeddings (collection, project_id, model_id, hash, embedding, promoted)
			SELECT e.collection, e.project_id, e.model_id, c.hash,
				e.embedding + (SELECT array_agg((random() - .5) / 50) FROM generate_series(1, 1024) WHERE c.n > 0)::halfvec, promoted
			FROM embeddings e JOIN copied c ON c.passage_hash = e.hash WHERE $1::integer + $2::integer + $3::integer > 0`,
		`INSERT INTO document_chunks (project_id, tenant_id, document_id, collection, ordinal, start_line, end_line, promotion_level,
				passage_hash, header_path)
			SELECT d.project_id, $1::integer, c.id, d.collection, 0, 1, 1, d.promotion_level, c.hash, ''
			FROM documents d JOIN copied c ON c.document_id = d.id WHERE $2::integer + $3::integer > 0`,
		`UPDATE tenants SET version = version + 1 WHERE id = $1::integer AND $2::integer + $3::integer > 0`,
	} {
		var args []any
		if strings.Contains(statement, "$3") {
			args = []any{tenant.ID, count, f.Tenant.ID}
		}
		if _, err := conn.Exec(t.Context(), statement, args...); err != nil {
			t.Fatalf("%v:\n%s", err, statement)
		}
	}
}
