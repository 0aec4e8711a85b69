package containers_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/test/await"
	"github.com/compound-docs/compound-docs/test/testenv"
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
	in, _ := install(t)
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

// The error about a service that is stopped or stalled names it. When the service is
// back, everything works again without a restart.
func TestContainers_ServiceFails(t *testing.T) {
	t.Parallel()
	faults := []struct {
		name       string
		begin, end func(*testenv.Container)
	}{
		{name: "restart", begin: (*testenv.Container).Stop, end: (*testenv.Container).Start},
		{name: "pause", begin: (*testenv.Container).Pause, end: (*testenv.Container).Unpause},
	}
	services := []struct {
		name  string
		of    func(*testenv.Containers) *testenv.Container
		fails func(t *testing.T, s server)
	}{
		{"database", func(c *testenv.Containers) *testenv.Container { return c.Database }, withoutDatabase},
		{"Ollama", func(c *testenv.Containers) *testenv.Container { return c.Ollama }, withoutOllama},
	}
	for _, service := range services {
		for _, fault := range faults {
			t.Run(service.name+" "+fault.name, func(t *testing.T) {
				t.Parallel()
				in, containers := install(t)
				s := in.serve(t)
				before := s.finds("badger")

				fault.begin(service.of(containers))
				path := in.save(t, "armadillo")
				service.fails(t, s)
				fault.end(service.of(containers))

				waitUntilFound(t, s, "armadillo", path)
				if diff := cmp.Diff(before[:1], s.finds("badger")[:1]); diff != "" {
					t.Errorf("a search finds something else (-before +after):\n%s", diff)
				}
			})
		}
	}
}

func withoutDatabase(t *testing.T, s server) {
	t.Helper()
	f := s.fails("semantic_search", map[string]any{"query": "heron"})
	if f.Code != "DATABASE_ERROR" || !strings.Contains(f.Message, "PostgreSQL") {
		t.Errorf("got %v, want DATABASE_ERROR and what is the matter", f)
	}
	if text, err := s.Text(t.Context(), "ping", map[string]any{"message": "still there"}); err != nil || text != "pong: still there" {
		t.Errorf("ping answers %q and %v", text, err)
	}
}

func withoutOllama(t *testing.T, s server) {
	t.Helper()
	var found struct {
		Mode       string
		ModeReason string `json:"mode_reason"`
	}
	s.must("semantic_search", map[string]any{"query": "what nobody has asked yet"}, &found)
	if found.Mode != "" || !strings.HasPrefix(found.ModeReason, "by words and built-in vectors: ") {
		t.Errorf("a search answers %+v, want that it went by words and built-in vectors, and why", found)
	}
	f := s.fails("semantic_search", map[string]any{"query": "what nobody has asked yet", "mode": "vector"})
	if f.Code != "EMBEDDING_SERVICE_ERROR" || f.Details["circuit_state"] == nil || f.Details["retry_after_seconds"] == nil {
		t.Errorf("got %v, want EMBEDDING_SERVICE_ERROR with the state of the circuit", f)
	}
	await.Until(t, "the saved document waits for its vectors", func() bool {
		var listed struct {
			Index struct{ Pending, Embedding int }
		}
		s.must("list_doc_types", nil, &listed)
		return listed.Index.Pending == 0 && listed.Index.Embedding > 0
	})
}
