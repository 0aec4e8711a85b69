package index_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/internal/document"
	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/rag/index"
	"github.com/compound-docs/compound-docs/rag/ollama"
	"github.com/compound-docs/compound-docs/test/ragtest"
)

const anotherDigest = "sha256:another"

// documents are those of every tenant, with the digest of the tenant's model.
func (f *fixture) documents(t *testing.T) []string {
	t.Helper()
	return f.Rows(t, `SELECT concat_ws(' ', t.branch_name, d.relative_path, m.digest) FROM documents d
		JOIN tenants t ON t.id = d.tenant_id JOIN embedding_models m ON m.id = t.embedding_model_id ORDER BY 1`)
}

func TestReset_EmptiesOneTenantAndTakesThePresentModel(t *testing.T) {
	t.Parallel()
	f := setup(t)
	other := f.Branch(t, "feature/x")
	document := file("docs/a.md", "Some text.")
	f.Add(t, f.Tenant, document)
	f.Add(t, other, document)
	if changed, err := f.Index.ModelChanged(t.Context(), f.Tenant); err != nil || changed {
		t.Fatalf("model changed: %v, %v, want false", changed, err)
	}
	before := f.Rows(t, "SELECT digest FROM embedding_models")[0]

	f.Fake.AddModel("mxbai-embed-large", anotherDigest)
	if changed, err := f.Index.ModelChanged(t.Context(), f.Tenant); err != nil || !changed {
		t.Fatalf("model changed: %v, %v, want true", changed, err)
	}
	query := rag.Query{Text: "text", Limit: 1}
	if _, err := f.Searcher.Search(t.Context(), f.Scope(), query); rag.AsError(err).Code != rag.EmbeddingServiceError {
		t.Fatalf("search before the reset: %v, want EMBEDDING_SERVICE_ERROR", err)
	}
	if err := f.Index.Reset(t.Context(), f.Tenant); err != nil {
		t.Fatal(err)
	}
	hits, err := f.Searcher.Search(t.Context(), f.Scope(), query)
	if err != nil || len(hits.Documents) != 0 || hits.Closest != nil {
		t.Fatalf("search of an empty index: %+v, %v", hits, err)
	}
	f.Fake.Forget()
	f.Add(t, f.Tenant, document)
	if diff := cmp.Diff([]string{"a\n\nSome text."}, f.Fake.Texts()); diff != "" {
		t.Errorf("embedded again (-want +got):\n%s", diff)
	}
	want := []string{"feature/x docs/a.md " + before, "main docs/a.md " + anotherDigest}
	if diff := cmp.Diff(want, f.documents(t)); diff != "" {
		t.Errorf("documents and what embedded them (-want +got):\n%s", diff)
	}
	if hits, err = f.Searcher.Search(t.Context(), f.Scope(), query); err != nil || len(hits.Documents) != 1 {
		t.Errorf("search after the reset: %+v, %v", hits, err)
	}

	// The other branch shares what the present model has made.
	f.Fake.Forget()
	if err := f.Index.Reset(t.Context(), other); err != nil {
		t.Fatal(err)
	}
	f.Add(t, other, document)
	if diff := cmp.Diff([]string{}, f.Fake.Texts()); diff != "" {
		t.Errorf("embedded for the second branch (-want +got):\n%s", diff)
	}
}

// during is an embedder that lets something happen between the embedding of a
// batch and its writing.
type during struct {
	index.Embedder
	happens func(ctx context.Context)
}

func (d during) Embed(ctx context.Context, texts []string) ([]ollama.Embedding, error) {
	embeddings, err := d.Embedder.Embed(ctx, texts)
	d.happens(ctx)
	return embeddings, err
}

func TestReset_WhileAnotherProcessIndexesMixesNothing(t *testing.T) {
	t.Parallel()
	f := setup(t)
	slow := f.NewIndex(f.Database, during{f.Models, func(ctx context.Context) {
		f.Fake.AddModel("mxbai-embed-large", anotherDigest)
		if _, err := f.Index.ModelChanged(ctx, f.Tenant); err != nil {
			t.Error(err)
		}
		if err := f.Index.Reset(ctx, f.Tenant); err != nil {
			t.Error(err)
		}
	}})
	_, err := slow.Indexer(f.Tenant, rag.Compounding, ragtest.AnyDocument{}).Index(t.Context(), []document.File{file("docs/a.md", "Old vectors.")})
	if err == nil {
		t.Error("vectors of the old model were written into an index of the new one")
	}
	if diff := cmp.Diff([]string{}, f.documents(t)); diff != "" {
		t.Errorf("documents (-want +got):\n%s", diff)
	}
}
