package rag_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/internal/document"
	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/rag/index"
)

// ingest puts documents into the handbook.
func (f *fixture) ingest(t *testing.T, files ...document.File) {
	t.Helper()
	handbook, err := f.Index.Handbook(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	failures, err := f.Index.Indexer(handbook, catalog.Handbook, nil).Index(t.Context(), files)
	if err != nil || len(failures) > 0 {
		t.Fatalf("failures %v, error %v", failures, err)
	}
	f.Embed(t, handbook, catalog.Handbook)
}

func (f *fixture) edition(t *testing.T) index.HandbookEdition {
	t.Helper()
	edition, err := f.Index.HandbookEdition(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return edition
}

// searchHandbook returns the hits as "section source#chunk".
func (f *fixture) searchHandbook(t *testing.T, query rag.Query) (places []string, passages []rag.Hit) {
	t.Helper()
	query.EachPassage = true
	hits, err := f.Searcher.Search(t.Context(), f.edition(t).Scope(), query)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range hits.Documents {
		places = append(places, fmt.Sprintf("%s %s#%d", p.DocType, p.Path, p.Ordinal))
	}
	return places, hits.Documents
}

func TestHandbook_SectionOfADocument(t *testing.T) {
	t.Parallel()
	f := setup(t)
	f.ingest(t,
		file("handbook/welcome.md", "Words."),
		file("handbook/security/passwords.md", "Words."),
		file("handbook/security/access/keys.md", "Words."),
		file("handbook/security/named.md", "---", "section: ' People '", "---", "Words."),
		file("handbook/number.md", "---", "section: 12", "---", "Words."),
		file("handbook/blank.md", "---", "section: ' '", "---", "Words."))
	got := f.Rows(t, `SELECT concat_ws(' ', relative_path, doc_type) FROM documents ORDER BY 1`)
	want := []string{
		"handbook/blank.md blank", "handbook/number.md number", "handbook/security/access/keys.md security",
		"handbook/security/named.md People", "handbook/security/passwords.md security", "handbook/welcome.md welcome",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("sections (-want +got):\n%s", diff)
	}
}

// A text of two documents is one passage and two results.
func TestSearchHandbook_SharedPassage(t *testing.T) {
	t.Parallel()
	f := setup(t)
	text := []string{"# Badge", "", "Wear your badge."}
	f.ingest(t, file("handbook/guests/badge.md", text...), file("handbook/staff/badge.md", append(text, "")...))
	if diff := cmp.Diff([]string{"1"}, f.Rows(t, "SELECT count(*)::text FROM passages")); diff != "" {
		t.Fatalf("passages (-want +got):\n%s", diff)
	}
	places, _ := f.searchHandbook(t, rag.Query{Text: "badge", Limit: 5})
	want := []string{"guests handbook/guests/badge.md#0", "staff handbook/staff/badge.md#0"}
	if diff := cmp.Diff(want, places); diff != "" {
		t.Errorf("results (-want +got):\n%s", diff)
	}
	places, _ = f.searchHandbook(t, rag.Query{Text: "badge", Limit: 5, Filter: rag.Filter{DocTypes: []string{"staff"}}})
	if diff := cmp.Diff(want[1:], places); diff != "" {
		t.Errorf("results in one section (-want +got):\n%s", diff)
	}
}

func TestHandbookEdition(t *testing.T) {
	t.Parallel()
	f := setup(t)
	f.Add(t, f.Tenant, file("docs/a.md", "A project's document."))
	if got := f.edition(t); got != (index.HandbookEdition{}) {
		t.Errorf("edition %v of a handbook that was never ingested, want the zero value", got)
	}
	f.ingest(t) // nothing
	if got := f.edition(t); got != (index.HandbookEdition{}) {
		t.Errorf("edition %v of a handbook that is registered and empty, want the zero value", got)
	}
	f.ingest(t, file("handbook/a.md", "First."))
	first := f.edition(t)
	f.Add(t, f.Tenant, file("docs/b.md", "Another document of the project."))
	if got := f.edition(t); got != first || first == (index.HandbookEdition{}) {
		t.Errorf("edition %v after %v, want the same: only a project has changed", got, first)
	}
	f.ingest(t, file("handbook/a.md", "Second."))
	if got := f.edition(t); got == first {
		t.Errorf("edition %v stays although the handbook has changed", got)
	}
	places, _ := f.searchHandbook(t, rag.Query{Text: "document of the project", Limit: 20})
	if diff := cmp.Diff([]string{"a handbook/a.md#0"}, places); diff != "" {
		t.Errorf("the handbook's passages (-want +got):\n%s", diff)
	}
}
