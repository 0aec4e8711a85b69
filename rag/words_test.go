package rag_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/compound-docs/compound-docs/internal/document"
	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/rag/catalog"
)

// A query that is the path, the file name or the number of a document finds it first and as sure as any, although
// another one links there with the same words.
func TestSearch_Names(t *testing.T) {
	t.Parallel()
	f := setup(t)
	files := []document.File{
		file("docs/adr/0012-use-one-queue.md", "# Jobs wait in a table", "", "Each worker takes the oldest row."),
		file("docs/rfc/0012-import.md", "# Import of orders", "", "Partners send files at night."),
		file("docs/adr/README.md", "# Decisions", "", "Each has a page."),
		file("docs/0061-sessions.md", "# 61. Sessions in the database", "", "They end at night."),
		file("oteps/0066-logs.md", "# Logs of workers", "", "They are lines of text."),
		file("README.md", "# Shop", "", "The shop of the harbour, with its decisions."),
	}
	for i := range 60 {
		files = append(files, file(fmt.Sprintf("docs/notes/%d.md", i), "# Note", "", "See docs/adr/0012-use-one-queue.md, ADR 12, rfc-12 and "+
			"docs/adr/README.md; README.md and 0012-use-one-queue say more: use one queue."))
	}
	f.Add(t, f.Tenant, files...)
	for text, want := range map[string]string{
		"docs/adr/0012-use-one-queue.md": "docs/adr/0012-use-one-queue.md", "./docs/adr/0012-use-one-queue": "docs/adr/0012-use-one-queue.md",
		"`0012-use-one-queue.md`": "docs/adr/0012-use-one-queue.md", "ADR 12": "docs/adr/0012-use-one-queue.md",
		"adr-0012": "docs/adr/0012-use-one-queue.md", "RFC 12": "docs/rfc/0012-import.md", "ADR 61": "docs/0061-sessions.md", "readme.md": "README.md",
		"adr/README.md": "docs/adr/README.md",
		"OTEP 66":       "oteps/0066-logs.md",
	} {
		for _, mode := range rag.Modes() {
			got, found := f.found(t, rag.Query{Text: text, Mode: mode, Limit: 2})
			if got[0] != want || found.Documents[0].Score < .9 {
				t.Errorf("%s, %s: got %v, the first with a score of %.3f, want %s", text, mode, got, found.Documents[0].Score, want)
			}
		}
	}
	oteps, err := f.Index.Tenant(t.Context(), catalog.TenantKey{Project: "oteps", Branch: "main", PathHash: "0123456789abcdef"}, "/oteps")
	if err != nil {
		t.Fatal(err)
	}
	f.Add(t, oteps, file("text/0035-protocol.md", "# One protocol", "", "For all of them."), file("text/0036-logs.md", "# Logs", "", "Text."))
	scope := catalog.Scope{Tenant: oteps, Collection: catalog.Compounding}
	if hits, err := f.Searcher.Search(t.Context(), scope, rag.Query{Text: "otep-0035", Limit: 2}); err != nil || hits.Documents[0].Score < .9 {
		t.Errorf("otep-0035 finds %+v: %v, want the document with this number in a project of this name", hits.Documents, err)
	}
	for _, text := range []string{"java 61", "http12", "step 66", "issue 12"} { // no series of decisions
		if _, found := f.found(t, rag.Query{Text: text, Mode: rag.Lexical, Limit: 2}); len(found.Documents) > 0 && found.Documents[0].Score > .9 {
			t.Errorf("%s finds %s with a score of %.3f", text, found.Documents[0].Path, found.Documents[0].Score)
		}
	}
}

// A document whose title is the query comes first, although others say more about it, in
// every mode; so do those that have the whole of a short query, above the threshold.
func TestSearch_Titles(t *testing.T) {
	t.Parallel()
	f := setup(t)
	files := []document.File{file("docs/volumes.md", "# Volumes", "", "Where the data of a container stays after it ends.")}
	for i := range 30 {
		files = append(files, atLevel(fmt.Sprintf("docs/%02d.md", i), catalog.Important, fmt.Sprint("# Volumes of kind ", i), "",
			strings.Repeat("Volumes, and volumes again: mounted storage volumes. ", 3)))
	}
	f.Add(t, f.Tenant, files...)
	for _, text := range []string{"volumes", "Volumes?"} {
		for _, mode := range []rag.Mode{rag.Hybrid, rag.Lexical} {
			f.mustFind(t, rag.Query{Text: text, Mode: mode, Limit: 1, MinScore: searchThreshold}, "docs/volumes.md")
		}
	}
	if found, _ := f.found(t, rag.Query{Text: "volumes", Mode: rag.Lexical, Limit: 100, MinScore: searchThreshold}); len(found) != len(files) {
		t.Errorf("%d of %d documents that have the word are found", len(found), len(files))
	}
	// A document must be relevant unless the query names it.
	named := rag.Query{Text: "mounted storage volumes", Mode: rag.Lexical, Limit: 100, MinScore: searchThreshold}
	asked, _ := f.found(t, named)
	named.Unasked = true
	if found, _ := f.found(t, named); len(asked) != len(files)-1 || len(found) != 0 {
		t.Errorf("words that stand nearly everywhere find %d documents, and %d unasked", len(asked), len(found))
	}
}
