package index_test

import (
	"net/http"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/rag/answer"
	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/test/ragtest"
)

const anotherDigest = "sha256:another"

// vectors lists the texts with vectors, and the builds of the model that made them.
func (f *fixture) vectors(t *testing.T) []string {
	t.Helper()
	return f.Rows(t, `SELECT p.content || ' ' || m.digest FROM embeddings e
		JOIN passages p USING (collection, project_id, hash) JOIN embedding_models m ON m.id = e.model_id ORDER BY 1`)
}

func TestDrain_EmbedsAgainAfterAChangeOfTheModel(t *testing.T) {
	t.Parallel()
	f := setup(t)
	other := f.Branch(t, "feature/x")
	f.Add(t, f.Tenant, file("docs/a.md", "Shared."), file("docs/b.md", "Main."))
	f.Add(t, other, file("docs/a.md", "Shared."))
	before := f.Rows(t, "SELECT digest FROM embedding_models")[0]
	f.Fake.AddModel("mxbai-embed-large", anotherDigest)

	// The other branch still uses the vectors of the model before.
	f.Embed(t, f.Tenant, catalog.Compounding)
	want := []string{"Main. " + before, "Main. " + anotherDigest, "Shared. " + before, "Shared. " + anotherDigest}
	if diff := cmp.Diff(want, f.vectors(t)); diff != "" {
		t.Errorf("vectors while a branch uses the former model (-want +got):\n%s", diff)
	}
	f.Fake.Forget()
	f.Embed(t, other, catalog.Compounding)
	if texts := f.Fake.Texts(); len(texts) != 0 {
		t.Errorf("the second branch embedded %q", texts)
	}
	if diff := cmp.Diff([]string{"Main. " + anotherDigest, "Shared. " + anotherDigest}, f.vectors(t)); diff != "" {
		t.Errorf("vectors when no branch uses the former model (-want +got):\n%s", diff)
	}
}

// An `ollama pull` that ends while a batch is embedded mixes nothing.
func TestDrain_WhileTheModelIsReplaced(t *testing.T) {
	t.Parallel()
	f := setup(t)
	f.AddText(t, f.Tenant, file("docs/a.md", "First."), file("docs/b.md", "Second."))
	var once sync.Once
	f.Fake.Observe(func(r *http.Request) {
		if r.URL.Path == "/api/embed" {
			once.Do(func() { f.Fake.AddModel("mxbai-embed-large", anotherDigest) })
		}
	})
	if err := f.NewIndex(f.Database, f.NewModels(t, 0)).Queue(f.Tenant, catalog.Compounding).Drain(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"First. " + anotherDigest, "Second. " + anotherDigest}, f.vectors(t)); diff != "" {
		t.Errorf("vectors (-want +got):\n%s", diff)
	}
}

// A search, even one in a project that has no documents yet, reads.
func TestSearch_WritesNothing(t *testing.T) {
	t.Parallel()
	f := ragtest.NewUnmeasured(t)
	state := func() []string {
		return f.Rows(t, `SELECT concat_ws(' ', tenants::text) FROM tenants
			UNION ALL SELECT concat_ws(' ', embedding_models::text) FROM embedding_models ORDER BY 1`)
	}
	before := state()
	if _, err := f.Searcher.Search(t.Context(), f.Scope(), rag.Query{Text: "anything", Limit: 1}); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Answerer.Ask(t.Context(), f.Scope(), answer.Question{Query: rag.Query{Text: "anything", Limit: 1}, MinLevel: catalog.Standard}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, state()); diff != "" {
		t.Errorf("tenants and models (-want +got):\n%s", diff)
	}
}
