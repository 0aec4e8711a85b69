package rag_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/compound-docs/compound-docs/db"
	"github.com/compound-docs/compound-docs/internal/document"
	"github.com/compound-docs/compound-docs/rag"
)

// No column takes a value that makes servers read megabytes for each document, or that they cannot read. A search
// reads no more of a long passage than words can fill.
func TestSchema_TakesNoHugeValue(t *testing.T) {
	t.Parallel()
	f := setup(t)
	f.Add(t, f.Tenant, file("docs/pool.md", "# Connection pool", "", "The pool in `db/pool.go:12` was exhausted; see [this](other.md)."))
	long := strings.Repeat("long", 20_000)
	if failures := f.AddText(t, f.Tenant, file("docs/long.md", "---", "summary: "+long[:60_000], "files_involved: ["+long[:4_000]+"]", "---",
		"# "+long, "", "[link]("+long+".md) `"+long+".go:3`", strings.Repeat(" ", 1_000_000)+"end")); len(failures) > 0 {
		t.Errorf("a document with long parts is not indexed: %v", failures[0].Err)
	}
	rows, err := f.Pool.Query(t.Context(), `
		SELECT c.table_name, quote_ident(c.column_name), c.udt_name FROM information_schema.columns c
		JOIN information_schema.tables t USING (table_schema, table_name)
		WHERE c.table_schema = 'public' AND t.table_type = 'BASE TABLE' AND c.udt_name IN ('text', '_text', 'jsonb', 'bytea', '_int4', 'timestamptz', 'sparsevec')
			AND c.table_name NOT LIKE '%\_%\_compounding' AND c.table_name <> 'goose_db_version'`)
	if err != nil {
		t.Fatal(err)
	}
	type column struct{ Table, Name, Type string }
	columns, err := pgx.CollectRows(rows, pgx.RowToStructByPos[column])
	if err != nil || len(columns) < 20 {
		t.Fatalf("%d columns, %v", len(columns), err)
	}
	for _, c := range columns {
		value := map[string]string{
			"text": "repeat('x', 6000000)", "_text": "ARRAY[repeat('x', 6000000)]", "jsonb": "to_jsonb(repeat('x', 6000000))",
			"bytea": "decode(repeat('00', 6000000), 'hex')", "_int4": "array_fill(1, ARRAY[100000])",
			"timestamptz": "'infinity'", "sparsevec": "'{1:1}/7'", // a server could not read the first, or compare the second
		}[c.Type]
		tag, err := f.Pool.Exec(t.Context(), fmt.Sprintf("UPDATE %s SET %s = %s", c.Table, c.Name, value))
		refused, isRefused := errors.AsType[*pgconn.PgError](err)
		if err == nil && tag.RowsAffected() > 0 || err != nil && (!isRefused || !slices.Contains([]string{"23514", "54000", "22000"}, refused.Code)) {
			t.Errorf("%s.%s takes %s: %v, %v", c.Table, c.Name, value, tag, err)
		}
	}
	for _, counter := range []string{"version", "generation", "epoch"} {
		_, err := f.Pool.Exec(t.Context(), fmt.Sprintf("UPDATE tenants SET %s = 9223372036854775807", counter))
		refused, isRefused := errors.AsType[*pgconn.PgError](err)
		if !isRefused || refused.Code != "23514" {
			t.Errorf("tenants.%s takes the largest number: %v", counter, err)
		}
	}
	if _, err := f.Pool.Exec(t.Context(), "UPDATE passages SET content = content || repeat('x', 3000000)"); err != nil {
		t.Fatal(err)
	}
	for _, mode := range rag.Modes() {
		hits := f.mustFind(t, rag.Query{Text: "exhausted pool", Mode: mode, Limit: 1}, "docs/pool.md")
		if hit := hits.Documents[0]; len(hit.Content) > 20_000 || !strings.Contains(hit.Content, "exhausted") {
			t.Errorf("mode %s reads a passage of %d bytes", mode, len(hit.Content))
		}
	}
}

// A member who fills the tables with rows of the allowed size does not fill a server's memory.
func TestQueries_ReadABoundedWhole(t *testing.T) {
	t.Parallel()
	f := setup(t)
	f.Add(t, f.Tenant, file("docs/a.md", "# A", "", "[b](b.md)"), file("docs/b.md", "# B", "", "[a](a.md)"))
	for _, statement := range []string{
		`INSERT INTO document_links SELECT project_id, tenant_id, document_id, n, target_path, fallback_path, relation
			FROM document_links, generate_series(1000, 100000) n`,
		`INSERT INTO documents (project_id, tenant_id, id, collection, relative_path, title, summary, tags, doc_type, doc_date,
				promotion_level, content_hash, schema_hash, char_count, file_size, file_mtime, file_ctime, file_inode, chunk_count, names)
			SELECT project_id, tenant_id, id + n, collection, 'docs/' || n || '.md', title, summary, tags, doc_type, doc_date,
				promotion_level, content_hash, schema_hash, char_count, file_size, file_mtime, file_ctime, file_inode, chunk_count,
				ARRAY[repeat('x', 260000)]
			FROM documents, generate_series(10, 310, 2) n WHERE relative_path = 'docs/a.md'`,
		"ANALYZE document_links, documents",
	} {
		if _, err := f.Pool.Exec(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	queries := db.New(f.Pool)
	edges, err := db.ReadOne(t.Context(), f.Database, "read links", (*db.Queries).LinkEdges, db.LinkEdgesParams{
		ProjectID: f.Tenant.ProjectID, TenantID: f.Tenant.ID, Collection: db.CollectionCompounding,
	})
	if err != nil || len(edges) != 100_000 {
		t.Errorf("%d links are read, %v; want 100,000 of 198,000", len(edges), err)
	}
	places, err := queries.DocumentPlaces(t.Context(), db.DocumentPlacesParams{
		ProjectID: f.Tenant.ProjectID, TenantID: f.Tenant.ID, Collections: []db.Collection{db.CollectionCompounding},
	})
	if err != nil {
		t.Fatal(err)
	}
	bytes := 0
	for _, p := range places {
		for _, name := range p.Names {
			bytes += len(name)
		}
	}
	if bytes < 20<<20 || bytes > 32<<20 || len(places) < 150 {
		t.Errorf("names of %d bytes in %d documents are read; want up to 32 MiB, and every document", bytes, len(places))
	}
}

// A search does not compare each of many documents with each of the others that say what they replace, by the number of
// a decision or by a wikilink.
func TestSearch_ManyDocumentsReplaceOthers(t *testing.T) {
	t.Parallel()
	f := setup(t)
	f.Add(t, f.Tenant, file("docs/0001-pool.md", "# The pool", "", "Supersedes ADR-9999 and [[gone]]."))
	for _, statement := range []string{
		`INSERT INTO documents (project_id, tenant_id, id, collection, relative_path, title, summary, tags, doc_type, doc_date,
				promotion_level, content_hash, schema_hash, char_count, file_size, file_mtime, file_ctime, file_inode, chunk_count, status, holds_until)
			SELECT project_id, tenant_id, id + n, collection, 'docs/' || n || '-pool.md', title, summary, tags, doc_type, doc_date,
				promotion_level, content_hash, schema_hash, char_count, file_size, file_mtime, file_ctime, file_inode, chunk_count, '', ''
			FROM documents, generate_series(2, 5000) n`,
		`INSERT INTO document_links SELECT project_id, tenant_id, document_id + n, ordinal, target_path, fallback_path, relation
			FROM document_links, generate_series(2, 5000) n`,
	} {
		if _, err := f.Pool.Exec(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	f.mustFind(t, rag.Query{Text: "pool", Limit: 1}, "docs/0001-pool.md")
}

// Of many documents with one name, a wikilink leads to the one beside it, and else to the shortest path.
func TestLinkEdges_ManyDocumentsOfOneName(t *testing.T) {
	t.Parallel()
	f := setup(t)
	var files []document.File
	for i := range 40 {
		files = append(files, file(fmt.Sprintf("docs/d%d/readme.md", i+10), "# Readme"))
	}
	f.Add(t, f.Tenant, append(files, file("docs/d49/a.md", "# A", "", "[[readme]]"), file("docs/e/a.md", "# B", "", "[[Readme]]"))...)
	edges, err := db.New(f.Pool).LinkEdges(t.Context(), db.LinkEdgesParams{
		ProjectID: f.Tenant.ProjectID, TenantID: f.Tenant.ID, Collection: db.CollectionCompounding,
	})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, edge := range edges {
		got[edge.SourcePath] = edge.TargetPath
	}
	want := map[string]string{"docs/d49/a.md": "docs/d49/readme.md", "docs/e/a.md": "docs/d10/readme.md"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("links (-want +got):\n%s", diff)
	}
}
