package rag_test

import (
	"context"
	"log/slog"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/internal/document"
	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/rag/ollama"
)

const anotherDigest = "sha256:another"

// documents are those of every tenant, with the digest of the tenant's model.
func (f *fixture) documents(t *testing.T) []string {
	t.Helper()
	return f.rows(t, `SELECT concat_ws(' ', t.branch_name, d.relative_path, m.digest) FROM documents d
		JOIN tenants t ON t.id = d.tenant_id JOIN embedding_models m ON m.id = t.embedding_model_id ORDER BY 1`)
}

func TestReset_EmptiesOneTenantAndTakesThePresentModel(t *testing.T) {
	t.Parallel()
	f := setup(t)
	other := f.branch(t, "feature/x")
	document := file("docs/a.md", "Some text.")
	f.index(t, f.tenant, document)
	f.index(t, other, document)
	if changed, err := f.library.ModelChanged(t.Context(), f.tenant); err != nil || changed {
		t.Fatalf("model changed: %v, %v, want false", changed, err)
	}
	before := f.rows(t, "SELECT digest FROM embedding_models")[0]

	f.fake.AddModel("mxbai-embed-large", anotherDigest)
	if changed, err := f.library.ModelChanged(t.Context(), f.tenant); err != nil || !changed {
		t.Fatalf("model changed: %v, %v, want true", changed, err)
	}
	query := rag.Query{Text: "text", Limit: 1}
	if _, err := f.library.Search(t.Context(), f.scope(), query); rag.AsError(err).Code != rag.EmbeddingServiceError {
		t.Fatalf("search before the reset: %v, want EMBEDDING_SERVICE_ERROR", err)
	}
	if err := f.library.Reset(t.Context(), f.tenant); err != nil {
		t.Fatal(err)
	}
	hits, err := f.library.Search(t.Context(), f.scope(), query)
	if err != nil || len(hits.Documents) != 0 || hits.Closest != nil {
		t.Fatalf("search of an empty index: %+v, %v", hits, err)
	}
	f.fake.Forget()
	f.index(t, f.tenant, document)
	if diff := cmp.Diff([]string{"a\n\nSome text."}, f.fake.Texts()); diff != "" {
		t.Errorf("embedded anew (-want +got):\n%s", diff)
	}
	want := []string{"feature/x docs/a.md " + before, "main docs/a.md " + anotherDigest}
	if diff := cmp.Diff(want, f.documents(t)); diff != "" {
		t.Errorf("documents and what embedded them (-want +got):\n%s", diff)
	}
	if hits, err = f.library.Search(t.Context(), f.scope(), query); err != nil || len(hits.Documents) != 1 {
		t.Errorf("search after the reset: %+v, %v", hits, err)
	}

	// The other branch shares what the present model has made.
	f.fake.Forget()
	if err := f.library.Reset(t.Context(), other); err != nil {
		t.Fatal(err)
	}
	f.index(t, other, document)
	if diff := cmp.Diff([]string{}, f.fake.Texts()); diff != "" {
		t.Errorf("embedded for the second branch (-want +got):\n%s", diff)
	}
}

// during is an embedder that lets something happen between the embedding of a
// batch and its writing.
type during struct {
	rag.Embedder
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
	slow := rag.NewLibrary(f.database, during{f.models, func(ctx context.Context) {
		f.fake.AddModel("mxbai-embed-large", anotherDigest)
		if _, err := f.library.ModelChanged(ctx, f.tenant); err != nil {
			t.Error(err)
		}
		if err := f.library.Reset(ctx, f.tenant); err != nil {
			t.Error(err)
		}
	}}, f.models, slog.New(slog.DiscardHandler))
	_, err := slow.Indexer(f.tenant, rag.Compounding, anything{}).Index(t.Context(), []document.File{file("docs/a.md", "Old vectors.")})
	if err == nil {
		t.Error("vectors of the old model were written into an index of the new one")
	}
	if diff := cmp.Diff([]string{}, f.documents(t)); diff != "" {
		t.Errorf("documents (-want +got):\n%s", diff)
	}
}
