package ollama_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/rag/model"
)

// The window is the model's, as far as Ollama says it. Ollama is told to cut nothing.
func TestGenerate_Streams(t *testing.T) {
	t.Parallel()
	server, client := start(t)
	server.SetContextLength(4000)
	server.SetAnswer(func(system, user string) []string { return []string{" ", system, "", " and ", user, "\n"} })
	pieces := []string{}

	got, err := client.Generate(t.Context(), model.Prompt{System: "be brief", User: "why?"},
		func(text string) { pieces = append(pieces, text) })
	if err != nil || got != "be brief and why?" {
		t.Errorf("got %q, %v", got, err)
	}
	if diff := cmp.Diff([]string{" ", "be brief", " and ", "why?", "\n"}, pieces); diff != "" {
		t.Errorf("pieces (-want +got):\n%s", diff)
	}
	request := server.Requests("/api/chat")[0]
	want := map[string]any{"num_ctx": 4000.0, "num_predict": 1000.0, "temperature": 0.1}
	if diff := cmp.Diff(want, request.Options); diff != "" {
		t.Errorf("options (-want +got):\n%s", diff)
	}
	if string(request.KeepAlive) != `"30m0s"` || request.Truncate == nil || *request.Truncate {
		t.Errorf("keep_alive is %s and truncate %v, want 30m0s and false", request.KeepAlive, request.Truncate)
	}
	server.SetContextLength(0) // as older servers
	if window := client.ContextWindow(t.Context()); window != 8192 {
		t.Errorf("context window %d while it is unknown, want that configured", window)
	}
}
