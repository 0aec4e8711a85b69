package ollama_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/compound-docs/compound-docs/rag/ollama"
	"github.com/compound-docs/compound-docs/test/fakeollama"
)

func TestStates(t *testing.T) {
	t.Parallel()
	whole, lacking, away := fakeollama.Start(t), fakeollama.Start(t), fakeollama.Start(t)
	lacking.RemoveModel("mistral")
	away.Close()
	got := newClient(t, fast(whole.URL(), lacking.URL(), away.URL())).States(t.Context())
	want := []ollama.HostState{{Host: whole.URL()}, {Host: lacking.URL(), Missing: []string{"mistral"}}, {Host: away.URL()}}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(ollama.HostState{}, "Err", "Version")); diff != "" {
		t.Errorf("states (-want +got):\n%s", diff)
	}
	for i, state := range got {
		if answers := i < 2; (state.Err == nil) != answers || (state.Version != "") != answers {
			t.Errorf("%s: version %q, %v", state.Host, state.Version, state.Err)
		}
	}
	if pulls := len(lacking.Requests("/api/pull")); pulls > 0 {
		t.Errorf("%d pulls, want none", pulls)
	}
}

func TestPullMissing(t *testing.T) {
	t.Parallel()
	server, away := fakeollama.Start(t), fakeollama.Start(t)
	away.Close()
	server.RemoveModel("mxbai-embed-large")
	server.RemoveModel("mistral")
	cfg := fast(away.URL(), server.URL())
	cfg.PullWait = 1 // ns, which is no limit here
	client := newClient(t, cfg)
	last := map[string]ollama.PullStatus{}
	err := client.PullMissing(t.Context(), func(model string, status ollama.PullStatus) { last[model] = status })
	if err != nil {
		t.Fatal(err)
	}
	want := ollama.PullStatus{Status: "success", Completed: 1000, Total: 1000}
	if diff := cmp.Diff(map[string]ollama.PullStatus{"mxbai-embed-large": want, "mistral": want}, last); diff != "" {
		t.Errorf("the last progress (-want +got):\n%s", diff)
	}
	if states := client.States(t.Context()); len(states[1].Missing) > 0 {
		t.Errorf("missing are %v", states[1].Missing)
	}
	if err := client.PullMissing(t.Context(), nil); err != nil || len(server.Requests("/api/pull")) != 2 {
		t.Errorf("another call: %v, after %d pulls in all, want 2", err, len(server.Requests("/api/pull")))
	}
}

func TestPullMissing_Fails(t *testing.T) {
	t.Parallel()
	server := fakeollama.Start(t)
	server.RemoveModel("mistral")
	server.SetPull(fakeollama.Pull{Err: "no space left on device"})
	err := newClient(t, fast(server.URL())).PullMissing(t.Context(), func(string, ollama.PullStatus) {})
	missing := asType[*ollama.ModelMissingError](t, err)
	if missing.Model != "mistral" || !strings.Contains(err.Error(), "no space left on device") {
		t.Errorf("error %v", err)
	}
	server.Close()
	if err := newClient(t, fast(server.URL())).PullMissing(t.Context(), nil); !errors.As(err, new(*ollama.UnavailableError)) {
		t.Errorf("without Ollama: %v", err)
	}
}
