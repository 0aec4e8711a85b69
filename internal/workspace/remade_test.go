package workspace_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/internal/workspace"
	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/rag/apierror"
	"github.com/compound-docs/compound-docs/test/testenv"
)

// After somebody has dropped the database and made it again, no project is active until a
// server activates it. Then the index is filled from the files.
func TestWorkspace_DatabaseThatWasMadeAgain(t *testing.T) {
	t.Parallel()
	f := setup(t, map[string]string{docs + "a.md": problem("Pool", "The pool was exhausted."), docs + "b.md": problem("Labels", "Umlauts.")})
	first, second := f.server(t), f.server(t)
	f.activate(t, first, "main")
	f.activate(t, second, "main")
	f.pool.Reset()
	testenv.RemakeDatabase(t, f.databaseURL)
	for name, s := range map[string]*workspace.Workspace{"first": first, "second": second} {
		eventually(t, "the "+name+" server says that no project is active", func() bool {
			_, err := s.Active(t.Context())
			return apierror.AsError(err).Code == apierror.ProjectNotActivated
		})
	}
	f.activate(t, first, "main")
	for name, s := range map[string]*workspace.Workspace{"first": first, "second": second} {
		var paths []string
		eventually(t, "the "+name+" server answers", func() (ok bool) {
			paths, ok = bestDocument(t.Context(), s, "pool exhausted")
			return ok
		})
		if diff := cmp.Diff([]string{docs + "a.md"}, paths); diff != "" {
			t.Errorf("the %s server finds (-want +got):\n%s", name, diff)
		}
	}
}

// bestDocument returns the path of what answers best, and false if there is nothing yet.
func bestDocument(ctx context.Context, s *workspace.Workspace, query string) (paths []string, ok bool) {
	active, err := s.Active(ctx)
	if err != nil {
		return nil, false
	}
	hits, err := s.Searcher.Search(ctx, active.Compounding(), rag.Query{Text: query, Limit: 1})
	if err != nil || active.Status().Embedding > 0 {
		return nil, false
	}
	for _, hit := range hits.Documents {
		paths = append(paths, hit.Path)
	}
	return paths, len(paths) > 0
}
