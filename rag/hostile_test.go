package rag_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/compound-docs/compound-docs/rag"
)

// No column takes a value that makes servers read megabytes for each document, and a search
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
		WHERE c.table_schema = 'public' AND t.table_type = 'BASE TABLE' AND c.udt_name IN ('text', '_text', 'jsonb', 'bytea', '_int4')
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
		}[c.Type]
		tag, err := f.Pool.Exec(t.Context(), fmt.Sprintf("UPDATE %s SET %s = %s", c.Table, c.Name, value))
		refused, isRefused := errors.AsType[*pgconn.PgError](err)
		if err == nil && tag.RowsAffected() > 0 || err != nil && (!isRefused || refused.Code != "23514" && refused.Code != "54000") {
			t.Errorf("%s.%s takes a huge value: %v, %v", c.Table, c.Name, tag, err)
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
