package workspace_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const documentPaths = "SELECT relative_path FROM documents ORDER BY relative_path"

// reindexed is a project with many documents, all of them indexed.
func reindexed(t *testing.T) (f *fixture, paths []string) {
	t.Helper()
	files := map[string]string{}
	for n := range 60 {
		files[fmt.Sprintf("csharp-compounding-docs/problems/%02d.md", n)] = problem(fmt.Sprintf("Problem %d", n), "What went wrong.")
	}
	f = setup(t, files)
	s := f.serverFor(t, f.Root)
	f.activate(t, s, "main")
	s.Close()
	return f, f.rows(t, documentPaths)
}

// A document stays in the index until it is indexed again.
func TestReindex_RemovesNothingBeforeItsReplacement(t *testing.T) {
	t.Parallel()
	f, want := reindexed(t)
	f.Put("csharp-compounding-docs/problems/00.md", problem("Changed", "It is another one."))
	seen := 0
	err := f.serverFor(t, f.Root).Reindex(t.Context(), func(string) func(int, int) {
		return func(int, int) {
			seen++
			if diff := cmp.Diff(want, f.rows(t, documentPaths)); diff != "" {
				t.Errorf("documents in the index (-want +got):\n%s", diff)
			}
		}
	})
	f.Must(err)
	if seen == 0 {
		t.Error("no progress was reported")
	}
	if titles := f.rows(t, "SELECT title FROM documents WHERE relative_path LIKE '%/00.md'"); !cmp.Equal(titles, []string{"Changed"}) {
		t.Errorf("the changed document is %v", titles)
	}
}

func TestReindex_EndedInTheMiddleLosesNothing(t *testing.T) {
	t.Parallel()
	f, want := reindexed(t)
	ctx, end := context.WithCancel(t.Context())
	err := f.serverFor(t, f.Root).Reindex(ctx, func(string) func(int, int) {
		return func(int, int) { end() }
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want that it was ended", err)
	}
	if diff := cmp.Diff(want, f.rows(t, documentPaths)); diff != "" {
		t.Errorf("documents in the index (-want +got):\n%s", diff)
	}
}
