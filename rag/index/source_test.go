package index_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/internal/document"
	"github.com/compound-docs/compound-docs/internal/project"
	"github.com/compound-docs/compound-docs/rag/apierror"
	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/test/ragtest"
)

// disk is a source of files, by path.
type disk map[string]document.File

func (d disk) Changed(stamps map[string]document.Stamp) []string {
	changed := []string{}
	for path, stamp := range stamps {
		if file, ok := d[path]; !ok || file.Stamp.Hash != stamp.Hash {
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
	indexer := f.Index.Indexer(f.Tenant, catalog.Compounding, ragtest.AnyDocument{})
	indexer.Source = on
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
		{"refused in a version that is gone again", func() error {
			_, err := indexer.Index(t.Context(), []document.File{file("docs/a.md", "---", "title: [unclosed", "---")})
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
	delete(on, other.Path)
	if err := indexer.Remove(t.Context(), []string{"docs/b.md"}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"docs/a.md: First."}, f.contents(t)); diff != "" {
		t.Errorf("after the removal (-want +got):\n%s", diff)
	}
}

// panicking is a schema with a bug.
type panicking struct{}

func (panicking) Rules(path string) (project.Rules, bool) {
	if strings.Contains(path, "schema-bug") {
		panic("a bug in the schema")
	}
	return ragtest.AnyDocument{}.Rules(path)
}

func TestIndex_AFileThatMeetsABugFailsAlone(t *testing.T) {
	t.Parallel()
	f := setup(t)
	f.Add(t, f.Tenant, file("docs/schema-bug.md", "Before."), file("docs/b.md", "Before."))
	failures, err := f.Index.Indexer(f.Tenant, catalog.Compounding, panicking{}).Index(t.Context(), []document.File{
		file("docs/a.md", "Good."), file("docs/schema-bug.md", "After."), file("docs/b.md", "After."),
	})
	if err != nil {
		t.Fatal(err)
	}
	got := []string{}
	for _, failure := range failures {
		got = append(got, failure.Path)
		if !strings.Contains(failure.Err.Error(), "report") || apierror.AsError(failure.Err).Code != apierror.InternalError {
			t.Errorf("%s: %v, want what to do about a bug", failure.Path, failure.Err)
		}
	}
	if diff := cmp.Diff([]string{"docs/schema-bug.md"}, got); diff != "" {
		t.Errorf("failures (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"docs/a.md: Good.", "docs/b.md: After."}, f.contents(t)); diff != "" {
		t.Errorf("documents (-want +got):\n%s", diff)
	}
}
