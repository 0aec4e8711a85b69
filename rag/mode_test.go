package rag_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/internal/document"
	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/rag/apierror"
	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/test/fakeollama"
)

// found searches, and returns the paths with the scores and how the search was made.
func (f *fixture) found(t *testing.T, query rag.Query) (list []string, hits rag.Hits) {
	t.Helper()
	if query.Limit == 0 {
		query.Limit = 10
	}
	hits, err := f.Searcher.Search(t.Context(), f.Scope(), query)
	if err != nil {
		t.Fatal(err)
	}
	list = []string{}
	for _, hit := range hits.Documents {
		list = append(list, hit.Path)
	}
	return list, hits
}

func (f *fixture) mustFind(t *testing.T, query rag.Query, want ...string) rag.Hits {
	t.Helper()
	got, hits := f.found(t, query)
	if diff := cmp.Diff(append([]string{}, want...), got); diff != "" {
		t.Errorf("%q in mode %q finds (-want +got):\n%s", query.Text, query.Mode, diff)
	}
	return hits
}

func mustCover(t *testing.T, hits rag.Hits, want rag.Coverage) {
	t.Helper()
	if diff := cmp.Diff(want, hits.Coverage); diff != "" {
		t.Errorf("coverage (-want +got):\n%s", diff)
	}
}

// Words and built-in vectors find text before it has vectors of the model, and the answer says how much has.
func TestSearch_BeforeThereAreVectors(t *testing.T) {
	t.Parallel()
	f := setup(t)
	pool := file("docs/pool.md", "# Connection pool", "", "The pool was exhausted; raise max_conns.")
	f.AddText(t, f.Tenant, pool)
	hits := f.mustFind(t, rag.Query{Text: "why was the pool exhausted"}, "docs/pool.md")
	mustCover(t, hits, rag.Coverage{Mode: rag.Hybrid, BuiltIn: true, Embedded: 0})
	// That Ollama does not work is said all the same.
	f.Fake.SetFaults(fakeollama.Faults{Paths: []string{"/api/embed"}, Status: 500})
	hits = f.mustFind(t, rag.Query{Text: "why was that pool exhausted", Limit: 1}, "docs/pool.md")
	if apierror.AsError(hits.Fallback).Code != apierror.EmbeddingServiceError {
		t.Errorf("with an Ollama that fails the reason is %v", hits.Fallback)
	}
	f.Fake.SetFaults(fakeollama.Faults{})
	mustCover(t, f.mustFind(t, rag.Query{Text: "pool", Mode: rag.Vector}), rag.Coverage{Mode: rag.Vector, Embedded: 0})
	f.Embed(t, f.Tenant, catalog.Compounding)
	f.AddText(t, f.Tenant, file("docs/labels.md", "# Labels", "", "The printer knows no umlauts."))
	hits = f.mustFind(t, rag.Query{Text: "umlauts of the printer", Limit: 1}, "docs/labels.md")
	mustCover(t, hits, rag.Coverage{Mode: rag.Hybrid, BuiltIn: true, Embedded: .5})
	f.Embed(t, f.Tenant, catalog.Compounding)
	hits = f.mustFind(t, rag.Query{Text: "umlauts of the printer", Limit: 1}, "docs/labels.md")
	mustCover(t, hits, rag.Coverage{Mode: rag.Hybrid, Embedded: 1})
}

// A query of stop words has a meaning and no words.
func TestSearch_StopWordsAlone(t *testing.T) {
	t.Parallel()
	f := setup(t)
	f.Add(t, f.Tenant, file("docs/pool.md", "# Connection pool", "", "The pool was exhausted."))
	hits := f.mustFind(t, rag.Query{Text: "what is it about"}, "docs/pool.md")
	mustCover(t, hits, rag.Coverage{Mode: rag.Vector, Embedded: 1})
	_, err := f.Searcher.Search(t.Context(), f.Scope(), rag.Query{Text: "what is it about", Mode: rag.Lexical, Limit: 1})
	var ragErr *apierror.Error
	if !errors.As(err, &ragErr) || ragErr.Code != apierror.InvalidArgument || ragErr.Details["parameter"] != "query" {
		t.Errorf("got %v, want that the query has no word to search for", err)
	}
}

// Vectors of another build are never compared: words and built-in vectors find its passages.
func TestSearch_AnotherModel(t *testing.T) {
	t.Parallel()
	f := setup(t)
	f.Add(t, f.Tenant, file("docs/pool.md", "# Connection pool", "", "The pool was exhausted."))
	f.mustFind(t, rag.Query{Text: "zebra"}, "docs/pool.md")
	f.Fake.AddModel("mxbai-embed-large", "sha256:another")
	mustCover(t, f.mustFind(t, rag.Query{Text: "zebra"}, "docs/pool.md"), rag.Coverage{Mode: rag.Hybrid, BuiltIn: true, Embedded: 0})
	f.mustFind(t, rag.Query{Text: "exhausted pool"}, "docs/pool.md")
	f.Embed(t, f.Tenant, catalog.Compounding)
	mustCover(t, f.mustFind(t, rag.Query{Text: "zebra"}, "docs/pool.md"), rag.Coverage{Mode: rag.Hybrid, Embedded: 1})
}

// Without Ollama a question in other words finds its document by the built-in vectors, also beside documents in
// which one of its words stands.
func TestSearch_BuiltInVectors(t *testing.T) {
	t.Parallel()
	f := setup(t)
	f.AddText(t, f.Tenant,
		file("docs/retry.md", "# Requests", "", "Set `retry.max` to the number of attempts."),
		file("docs/labels.md", "# Labels", "", "The printer knows no umlauts."))
	f.Searcher = f.NewSearcher(noServer{})
	hits, err := f.Searcher.Search(t.Context(), f.Scope(), rag.Query{Text: "try again repeatedly", Limit: 2})
	if err != nil {
		t.Fatal(err)
	}
	if len(hits.Documents) != 2 || hits.Documents[0].Path != "docs/retry.md" || !hits.BuiltIn {
		t.Errorf("got %q, want docs/retry.md first of both documents", paths(hits.Documents))
	}
	// Other modes do not use them.
	f.mustFind(t, rag.Query{Text: "try again repeatedly", Mode: rag.Lexical})
	// A query of stop words alone has a meaning too.
	if list, hits := f.found(t, rag.Query{Text: "what is it about"}); len(list) != 2 || hits.Mode != rag.Hybrid || !hits.BuiltIn {
		t.Errorf("a query of stop words finds %q, by %+v", list, hits.Coverage)
	}
}

// Without Ollama a rare name makes its document sure, although the document's other words are far from the query.
func TestSearch_RareNameWithoutOllama(t *testing.T) {
	t.Parallel()
	f := setup(t)
	files := []document.File{file("docs/mooring.md", "# Harbour", "", "Ships arrive at night. Call `berthQX7 --purge` in the morning, or the crane waits.")}
	for i := range 40 {
		files = append(files, file(fmt.Sprintf("docs/%02d.md", i), "# Queue "+fmt.Sprint(i), "", "Why a worker is not free, and what the queue does about it."))
	}
	f.AddText(t, f.Tenant, files...)
	f.Searcher = f.NewSearcher(noServer{})
	for _, text := range []string{"why is berthQX7 not free", "what is berthQX7, and who calls it?"} {
		if _, hits := f.found(t, rag.Query{Text: text, Limit: 1}); hits.Documents[0].Path != "docs/mooring.md" || hits.Documents[0].Score < .85 {
			t.Errorf("%s: got %s with a score of %.2f, want docs/mooring.md with .85", text, hits.Documents[0].Path, hits.Documents[0].Score)
		}
	}
}

// Without a model a search of some documents judges each by its best passage, not by its first one.
func TestSearch_BestPassageOfSomeDocuments(t *testing.T) {
	t.Parallel()
	f := setup(t)
	long := strings.Repeat("Ships come and go with the tide, and nobody counts them at night. ", 20) + "\n\n"
	files := []document.File{file("docs/harbour.md", "# Harbour", "", strings.Repeat(long, 10), "## Crane", "", "The crane stops in a storm.")}
	for i := range 60 {
		files = append(files, file(fmt.Sprintf("docs/%02d.md", i), "# Crane "+fmt.Sprint(i), "", "A crane stops at night, and after a storm it starts."))
	}
	f.AddText(t, f.Tenant, files...)
	f.Searcher = f.NewSearcher(noServer{})
	_, hits := f.found(t, rag.Query{Text: "when does the crane stop in a storm", Limit: 100})
	at := slices.IndexFunc(hits.Documents, func(hit rag.Hit) bool { return hit.Path == "docs/harbour.md" })
	if at < 0 {
		t.Fatal("the document is not found among all")
	}
	for _, mode := range []rag.Mode{rag.Hybrid, rag.Lexical} {
		_, some := f.found(t, rag.Query{
			Text: "when does the crane stop in a storm", Mode: mode, Filter: rag.Filter{Documents: []int64{hits.Documents[at].ID}},
		})
		if got := some.Documents[0]; got.HeaderPath != "# Harbour > ## Crane" && got.HeaderPath != "## Crane" {
			t.Errorf("%s: the best passage is %q, lines %d to %d; want the one about the crane", mode, got.HeaderPath, got.StartLine, got.EndLine)
		}
	}
}
