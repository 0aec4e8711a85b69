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
