package index_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/internal/document"
	"github.com/compound-docs/compound-docs/rag/catalog"
)

// A search right after a large first sync is planned with what the sync has written.
func TestIndex_RenewsStatisticsInAFirstSync(t *testing.T) {
	t.Parallel()
	f := setup(t)
	tables := []string{"document_chunks", "documents", "passages_compounding"}
	for _, table := range tables {
		f.exec(t, "ALTER TABLE "+table+" SET (autovacuum_enabled = off)") // which analyzes too
	}
	const sections, documents = 25, 44
	lines := []string{"# Same", ""}
	for i := range sections {
		lines = append(lines, section(fmt.Sprint("Section ", i), fmt.Sprint("subject", i)))
	}
	var files []document.File
	for i := range documents {
		files = append(files, file(fmt.Sprintf("docs/%d.md", i), lines...))
	}
	analyzed := func() []string {
		return f.Rows(t, `SELECT relname FROM pg_class
			WHERE relname = ANY($1) AND reltuples > 0 ORDER BY relname`, tables)
	}

	if diff := cmp.Diff([]string{}, analyzed()); diff != "" {
		t.Errorf("before the first sync there are statistics of (-want +got):\n%s", diff)
	}
	x := indexer(f.Index, f.Tenant, catalog.Compounding)
	if _, err := x.Index(t.Context(), files); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(tables, analyzed()); diff != "" {
		t.Errorf("after a first sync there are statistics of (-want +got):\n%s", diff)
	}
}
