package index_test

import (
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/internal/document"
	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/test/ragtest"
)

// wantReindex fails the test unless the error tells to index the project again.
func wantReindex(t *testing.T, what string, err error) {
	t.Helper()
	if err == nil || rag.AsError(err).Code != rag.EmbeddingServiceError || !strings.Contains(err.Error(), "compound-docs reindex") {
		t.Errorf("%s: %v, want an error that names compound-docs reindex", what, err)
	}
}

func TestIndex_StoresNoVectorsOfAnotherBuild(t *testing.T) {
	t.Parallel()
	f := setup(t)
	indexer := f.NewIndex(f.Database, f.NewModels(t, 0)).Indexer(f.Tenant, rag.Compounding, ragtest.AnyDocument{})
	index := func(name string) error {
		failures, err := indexer.Index(t.Context(), []document.File{file(name, "Text of "+name)})
		for _, failure := range failures {
			t.Errorf("%s is blamed for it: %v", failure.Path, failure.Err)
		}
		return err
	}
	if err := index("docs/before.md"); err != nil {
		t.Fatal(err)
	}
	before := f.documents(t)

	// An `ollama pull` that ends while a batch is embedded.
	var once sync.Once
	f.Fake.Observe(func(r *http.Request) {
		if r.URL.Path == "/api/embed" {
			once.Do(func() { f.Fake.AddModel("mxbai-embed-large", anotherDigest) })
		}
	})
	if err := index("docs/during.md"); err == nil || !strings.Contains(err.Error(), "try again") {
		t.Errorf("during the pull: %v, want an error that says to try again", err)
	}
	wantReindex(t, "after the pull", index("docs/after.md"))
	if diff := cmp.Diff(before, f.documents(t)); diff != "" {
		t.Errorf("documents and what embedded them (-want +got):\n%s", diff)
	}
}

func TestSearch_UsesNoVectorOfAnotherBuild(t *testing.T) {
	t.Parallel()
	f := setup(t)
	searcher := f.NewSearcher(f.NewModels(t, 0))
	f.Add(t, f.Tenant, file("docs/a.md", "Some text."))
	search := func(text string) (rag.Hits, error) {
		return searcher.Search(t.Context(), f.Scope(), rag.Query{Text: text, Limit: 1})
	}
	if hits, err := search("some text"); err != nil || len(hits.Documents) != 1 {
		t.Fatalf("search: %+v, %v", hits, err)
	}
	f.Fake.AddModel("mxbai-embed-large", anotherDigest)
	_, err := search("a text that was not asked before")
	wantReindex(t, "a new query", err)
	_, err = search("some text")
	wantReindex(t, "a query that was asked before", err)

	// Another process indexes the project again.
	if err := f.Index.Reset(t.Context(), f.Tenant); err != nil {
		t.Fatal(err)
	}
	f.Add(t, f.Tenant, file("docs/a.md", "Some text."))
	if hits, err := search("some text"); err != nil || len(hits.Documents) != 1 {
		t.Errorf("search after the reset: %+v, %v", hits, err)
	}
}

// A server learns of a change that another one has seen first.
func TestSearch_BelievesTheIndexMoreThanItsMemory(t *testing.T) {
	t.Parallel()
	f := setup(t)
	searcher := f.NewSearcher(f.NewModels(t, 0))
	f.Add(t, f.Tenant, file("docs/a.md", "Some text."))
	query := rag.Query{Text: "some text", Limit: 1}
	if _, err := searcher.Search(t.Context(), f.Scope(), query); err != nil {
		t.Fatal(err)
	}
	f.Fake.AddModel("mxbai-embed-large", anotherDigest)
	if err := f.Index.Reset(t.Context(), f.Tenant); err != nil {
		t.Fatal(err)
	}
	f.Add(t, f.Tenant, file("docs/a.md", "Some text."))
	if hits, err := searcher.Search(t.Context(), f.Scope(), query); err != nil || len(hits.Documents) != 1 {
		t.Errorf("search in an index of the new model: %+v, %v", hits, err)
	}
}

// A search, even one in a project that has no documents yet, reads.
func TestSearch_WritesNothing(t *testing.T) {
	t.Parallel()
	f := setup(t)
	state := func() []string {
		return f.Rows(t, `SELECT concat_ws(' ', tenants::text) FROM tenants
			UNION ALL SELECT concat_ws(' ', embedding_models::text) FROM embedding_models ORDER BY 1`)
	}
	before := state()
	if _, err := f.Searcher.Search(t.Context(), f.Scope(), rag.Query{Text: "anything", Limit: 1}); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Searcher.Ask(t.Context(), f.Scope(), rag.Question{Query: rag.Query{Text: "anything", Limit: 1}, MinLevel: rag.Standard}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, state()); diff != "" {
		t.Errorf("tenants and models (-want +got):\n%s", diff)
	}
}
