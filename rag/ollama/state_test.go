package ollama_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/rag/model"
	"github.com/compound-docs/compound-docs/test/fakeollama"
)

var both = []string{"mxbai-embed-large", "mistral"}

// A call whose model is missing says which command brings it, and pulls nothing. A name without a tag means the
// latest.
func TestMissingModel(t *testing.T) {
	t.Parallel()
	server, client := start(t)
	server.RemoveModel("mistral")
	_, err := client.Generate(t.Context(), model.Prompt{User: "hello"}, nil)
	want := &model.MissingError{Model: "mistral", Host: server.URL()}
	if diff := cmp.Diff(want, asType[*model.MissingError](t, err)); diff != "" {
		t.Errorf("error (-want +got):\n%s", diff)
	}
	wantContains(t, err.Error(), "run: ollama pull mistral (or compound-docs up)")
	wantRequests(t, server, "/api/pull", 0)
	for name, has := range map[string]bool{"mxbai-embed-large": true, "mxbai-embed-large:latest": true, "mxbai-embed-large:335m": false} {
		server.AddModel("mxbai-embed-large", "abcd")
		cfg := fast(server.URL())
		cfg.EmbedModel = name
		got, err := newClient(t, cfg).EmbedModel(t.Context())
		if errors.As(err, new(*model.MissingError)) == has || has && got.Digest != "abcd" {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

func TestPullMissing(t *testing.T) {
	t.Parallel()
	server := fakeollama.Start(t)
	server.RemoveModel("mxbai-embed-large")
	server.RemoveModel("mistral")
	client := newClient(t, fast(server.URL()))
	last := map[string]int64{}
	err := client.PullMissing(t.Context(), both, func(model string, completed, _ int64) { last[model] = max(last[model], completed) })
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]int64{"mxbai-embed-large": 1000, "mistral": 1000}, last); diff != "" {
		t.Errorf("the most bytes (-want +got):\n%s", diff)
	}
	if state := client.State(t.Context(), both...); len(state.Missing) > 0 {
		t.Errorf("missing are %v", state.Missing)
	}
	if err := client.PullMissing(t.Context(), both, nil); err != nil || len(server.Requests("/api/pull")) != 2 {
		t.Errorf("another call: %v, after %d pulls in all, want 2", err, len(server.Requests("/api/pull")))
	}
}

func TestPullMissing_Fails(t *testing.T) {
	t.Parallel()
	server := fakeollama.Start(t)
	server.RemoveModel("mistral")
	server.SetPullError("no space left on device")
	err := newClient(t, fast(server.URL())).PullMissing(t.Context(), both, func(string, int64, int64) {})
	asType[*model.UnavailableError](t, err)
	wantContains(t, err.Error(), "pull mistral", "no space left on device")
	server.Close()
	if err := newClient(t, fast(server.URL())).PullMissing(t.Context(), both, nil); !errors.As(err, new(*model.UnavailableError)) {
		t.Errorf("without Ollama: %v", err)
	}
}
