package rag_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/compound-docs/compound-docs/internal/document"
	"github.com/compound-docs/compound-docs/internal/project"
	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/test/ragtest"
)

// german takes every document as a German one.
type german struct{ ragtest.AnyDocument }

func (german) Rules(path string) (project.Rules, bool) {
	docType, ok := ragtest.AnyDocument{}.Rules(path)
	docType.Language = "de"
	return docType, ok
}

// A configured language is that of documents which do not show it. The snippet shows the words in their forms.
func TestSearch_ConfiguredLanguage(t *testing.T) {
	t.Parallel()
	f := setup(t)
	text := "# Datenbank\n\n" + strings.Repeat("Text. ", 50) + "Verbindung geschlossen."
	if _, err := f.Index.Indexer(f.Tenant, catalog.Compounding, german{}).Index(t.Context(), []document.File{file("docs/a.md", text)}); err != nil {
		t.Fatal(err)
	}
	hits := f.mustFind(t, rag.Query{Text: "Verbindungen", Mode: rag.Lexical}, "docs/a.md")
	if snippet := hits.Documents[0].Snippet; !strings.Contains(snippet, "Verbindung") {
		t.Errorf("the snippet is %q", snippet)
	}
	if got := fmt.Sprint(f.Rows(t, "SELECT count(*)::text FROM passages")); got != "[1]" {
		t.Errorf("%s passages", got)
	}
}
