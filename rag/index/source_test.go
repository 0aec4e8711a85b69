package index_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/internal/document"
	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/rag/index"
	"github.com/compound-docs/compound-docs/rag/ollama"
	"github.com/compound-docs/compound-docs/test/fakeollama"
	"github.com/compound-docs/compound-docs/test/ragtest"
)

// disk is a source of files, by path.
type disk map[string]document.File

func (d disk) Changed(stamps map[string]document.Stamp) []string {
	changed := []string{}
	for path, stamp := range stamps {
		if file, ok := d[path]; !ok || file.Stamp().Hash != stamp.Hash {
			changed = append(changed, path)
		}
	}
	return changed
}

func (d disk) Present(paths []string) []string {
	return slices.DeleteFunc(slices.Clone(paths), func(path string) bool {
		_, ok := d[path]
		return !ok
	})
}

func (f *fixture) contents(t *testing.T) []string {
	t.Helper()
	return f.Rows(t, `SELECT d.relative_path || ': ' || p.content FROM documents d
		JOIN document_chunks c ON c.document_id = d.id JOIN passages p ON p.hash = c.passage_hash ORDER BY 1`)
}

func TestIndexer_WritesWhatIsStillSo(t *testing.T) {
	t.Parallel()
	f := setup(t)
	on := disk{}
	indexer := f.Index.Indexer(f.Tenant, rag.Compounding, ragtest.AnyDocument{}).From(on)
	first, second, other := file("docs/a.md", "First."), file("docs/a.md", "Second."), file("docs/b.md", "Other.")
	on[first.Path], on[other.Path] = first, other

	failures, err := indexer.Index(t.Context(), []document.File{second, other})
	if err != nil || len(failures) != 1 || failures[0].Path != "docs/a.md" || !errors.Is(failures[0].Err, document.ErrChanged) {
		t.Errorf("an outdated version: %v, error %v", failures, err)
	}
	if diff := cmp.Diff([]string{"docs/b.md: Other."}, f.contents(t)); diff != "" {
		t.Errorf("an outdated version was written (-want +got):\n%s", diff)
	}
	f.Add(t, f.Tenant, first)
	steps := []struct {
		name string
		do   func() error
	}{
		{"removed, and there again", func() error { return indexer.Remove(t.Context(), []string{"docs/a.md"}) }},
		{"withdrawn for a version that is gone again", func() error {
			return indexer.Withdraw(t.Context(), map[string]document.Stamp{"docs/a.md": second.Stamp()})
		}},
		{"withdrawn for the version that it holds", func() error {
			return indexer.Withdraw(t.Context(), map[string]document.Stamp{"docs/a.md": first.Stamp()})
		}},
		{"refused in a version that is gone again", func() error {
			_, err := indexer.Index(t.Context(), []document.File{file("docs/a.md", "---", "title: [unclosed", "---")})
			return err
		}},
		{"promoted in a version that is gone again", func() error {
			done, err := indexer.Promote(t.Context(), first, second)
			if done {
				t.Error("promoted")
			}
			return err
		}},
	}
	for _, step := range steps {
		if err := step.do(); err != nil {
			t.Errorf("%s: %v", step.name, err)
		}
		if diff := cmp.Diff([]string{"docs/a.md: First.", "docs/b.md: Other."}, f.contents(t)); diff != "" {
			t.Fatalf("%s (-want +got):\n%s", step.name, diff)
		}
	}
	on[first.Path] = second
	if err := indexer.Withdraw(t.Context(), map[string]document.Stamp{"docs/a.md": second.Stamp()}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"docs/b.md: Other."}, f.contents(t)); diff != "" {
		t.Errorf("an earlier version was not withdrawn (-want +got):\n%s", diff)
	}
	delete(on, other.Path)
	if err := indexer.Remove(t.Context(), []string{"docs/b.md"}); err != nil {
		t.Fatal(err)
	}
	if got := f.contents(t); len(got) > 0 {
		t.Errorf("the index holds %v, want nothing", got)
	}
}

// What is withdrawn and comes back needs no embedding.
func TestWithdraw_KeepsVectors(t *testing.T) {
	t.Parallel()
	f := setup(t)
	f.Add(t, f.Tenant, file("docs/a.md", "First."))
	indexer := f.Index.Indexer(f.Tenant, rag.Compounding, ragtest.AnyDocument{})
	if err := indexer.Withdraw(t.Context(), map[string]document.Stamp{"docs/a.md": file("docs/a.md", "Second.").Stamp()}); err != nil {
		t.Fatal(err)
	}
	if got := f.contents(t); len(got) > 0 {
		t.Fatalf("the index holds %v", got)
	}
	f.Fake.Forget()
	f.Add(t, f.Tenant, file("docs/a.md", "First."))
	if texts := f.Fake.Texts(); len(texts) > 0 {
		t.Errorf("embedded %q again", texts)
	}
}

func TestIndex_ARefusedVersionTakesTheEarlierOneAlong(t *testing.T) {
	t.Parallel()
	f := setup(t)
	f.Add(t, f.Tenant, file("docs/a.md", "First."), file("docs/b.md", "Other."))
	f.Fake.SetFaults(fakeollama.Faults{Reject: []string{"forbidden"}})
	failures := f.Add(t, f.Tenant, file("docs/a.md", "The forbidden word."), file("docs/b.md", "Another."))
	if len(failures) != 1 || failures[0].Path != "docs/a.md" {
		t.Errorf("failures %v, want docs/a.md", failures)
	}
	if diff := cmp.Diff([]string{"docs/b.md: Another."}, f.contents(t)); diff != "" {
		t.Errorf("documents (-want +got):\n%s", diff)
	}
}

// panicking is a schema, and an embedder, with a bug.
type panicking struct{ index.Embedder }

func (panicking) DocumentType(path string) (document.DocType, bool) {
	if strings.Contains(path, "schema-bug") {
		panic("a bug in the schema")
	}
	return ragtest.AnyDocument{}.DocumentType(path)
}

func (p panicking) Embed(ctx context.Context, texts []string) ([]ollama.Embedding, error) {
	if slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(text, "embedder bug") }) {
		panic("a bug in the embedder")
	}
	return p.Embedder.Embed(ctx, texts)
}

func TestIndex_AFileThatMeetsABugFailsAlone(t *testing.T) {
	t.Parallel()
	f := setup(t)
	f.Add(t, f.Tenant, file("docs/schema-bug.md", "Before."), file("docs/b.md", "Before."))
	x := f.NewIndex(f.Database, panicking{f.Models})
	failures, err := x.Indexer(f.Tenant, rag.Compounding, panicking{}).Index(t.Context(), []document.File{
		file("docs/a.md", "Good."), file("docs/schema-bug.md", "After."), file("docs/b.md", "The embedder bug."), file("docs/c.md", "Good too."),
	})
	if err != nil {
		t.Fatal(err)
	}
	got := []string{}
	for _, failure := range failures {
		got = append(got, failure.Path)
		if !strings.Contains(failure.Err.Error(), "report") || rag.AsError(failure.Err).Code != rag.InternalError {
			t.Errorf("%s: %v, want what to do about a bug", failure.Path, failure.Err)
		}
	}
	if diff := cmp.Diff([]string{"docs/schema-bug.md", "docs/b.md"}, got); diff != "" {
		t.Errorf("failures (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"docs/a.md: Good.", "docs/c.md: Good too."}, f.contents(t)); diff != "" {
		t.Errorf("documents (-want +got):\n%s", diff)
	}
}
