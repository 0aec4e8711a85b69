package tools_test

import (
	"strings"
	"testing"
	"time"

	"github.com/compound-docs/compound-docs/test/fakeollama"
)

// With Ollama away every tool answers by words and built-in vectors, and says why and for how long.
func TestMode_OllamaAway(t *testing.T) {
	t.Parallel()
	f := setup(t)
	c := connect(t, f.server, protocolVersions()["handshake"])
	c.activate(t, newProject(t, `{"project_name": "p", "external_docs": {"path": "./docs"}}`, map[string]string{
		"csharp-compounding-docs/insights/harbour.md": insight("Harbour crane", "standard", "The schedule of the harbour crane."),
		"docs/harbour.md": "# Harbour crane\n\nThe schedule of the harbour crane.\n",
	}))
	f.fake.SetFaults(fakeollama.Faults{Status: 503, Message: "away"})
	for _, tool := range []string{"semantic_search", "rag_query", "search_external_docs", "rag_query_external"} {
		var got struct {
			Mode    string  `json:"mode"`
			Reason  string  `json:"mode_reason"`
			Retry   float64 `json:"retry_after_seconds"`
			Results []any   `json:"results"`
			Sources []any   `json:"sources"`
		}
		c.get(t, tool, arguments{"query": "harbour crane schedule", "min_relevance_score": 0.3}, &got)
		if got.Mode != "" || !strings.HasPrefix(got.Reason, "by words and built-in vectors: ") || !strings.Contains(got.Reason, "503") || got.Retry <= 0 || len(got.Results)+len(got.Sources) != 1 {
			t.Errorf("%s answers %+v, want one document by words and built-in vectors, with the reason", tool, got)
		}
	}
	e := c.fail(t, "semantic_search", arguments{"query": "harbour crane schedule", "mode": "vector"})
	if e.Code != "EMBEDDING_SERVICE_ERROR" || e.Details["circuit_state"] == nil || e.Details["retry_after_seconds"] == nil {
		t.Errorf("by vectors it fails with %+v", e)
	}
}

// Nobody waits for a model server that asks for a pause of a minute, and the error names it.
func TestMode_OllamaAskedTooOften(t *testing.T) {
	t.Parallel()
	f := setup(t)
	c := connect(t, f.server, protocolVersions()["handshake"])
	c.activate(t, newProject(t, `{"project_name": "p"}`, map[string]string{craneFile: insight("Harbour crane", "standard", "The schedule of the harbour crane.")}))
	f.fake.SetFaults(fakeollama.Faults{Paths: []string{"/api/embed"}, Status: 429, RetryAfter: "60"})
	c.failWithin(t, 4*time.Second, "EMBEDDING_SERVICE_ERROR", "429", "semantic_search", arguments{"query": "harbour schedule", "mode": "vector"})
}

// Results found without all vectors of the model are not remembered: later vectors change no edition of the handbook.
func TestSearchHandbook_DoesNotRememberWithoutVectors(t *testing.T) {
	t.Parallel()
	f := setup(t)
	c := connect(t, f.server, "2025-11-25")
	f.ingest(t, map[string]string{"handbook/office/kitchen.md": "Wash the cups.\n", "handbook/keys.md": "Lock the door.\n"})
	f.execute(t, "DELETE FROM embeddings WHERE hash = (SELECT hash FROM passages WHERE content LIKE 'Lock%')")
	search := func() string {
		_, results, _ := strings.Cut(c.searchHandbook(t, `{"query": "cups"}`), "--- Result 1")
		return results
	}
	before := search()
	f.ingest(t, nil)
	if after := search(); after == before || !strings.Contains(after, "Lock the door.") {
		t.Errorf("a passage that is embedded now is judged as before: %s", after)
	}
}
