package containers_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/test/await"
)

// waitUntilFound waits until a search for a word finds the document about it.
func waitUntilFound(t *testing.T, s server, word, path string) {
	t.Helper()
	await.Until(t, "the document about "+word+" is found", func() bool {
		text, err := s.Text(t.Context(), "semantic_search", map[string]any{"query": word, "min_relevance_score": 0.0, "limit": 1})
		return err == nil && strings.Contains(text, path)
	})
}

func TestContainers_TwoServersAndTheWatcher(t *testing.T) {
	t.Parallel()
	in := install(t)
	first, second := in.serve(t), in.serve(t)

	want := []string{"./csharp-compounding-docs/insights/heron.md", "./csharp-compounding-docs/insights/badger.md"}
	for _, s := range []server{first, second} {
		if diff := cmp.Diff(want, s.finds("heron")); diff != "" {
			t.Errorf("a server finds something else (-want +got):\n%s", diff)
		}
	}
	path := in.save(t, "armadillo")
	waitUntilFound(t, first, "armadillo", path)
	waitUntilFound(t, second, "armadillo", path)
	if err := first.Close(); err != nil {
		t.Error("close the first server:", err)
	}
	waitUntilFound(t, second, "pangolin", in.save(t, "pangolin"))
}
