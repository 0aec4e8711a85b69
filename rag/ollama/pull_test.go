package ollama_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/rag/model"
	"github.com/compound-docs/compound-docs/test/fakeollama"
)

// A call whose model is missing says which command brings it, and pulls nothing.
func TestMissingModel(t *testing.T) {
	t.Parallel()
	server, client := start(t)
	server.RemoveModel("mxbai-embed-large")
	server.RemoveModel("mistral")
	_, embedErr := client.Embed(t.Context(), numbered(1))
	_, chatErr := client.Generate(t.Context(), model.Prompt{User: "hello"}, nil)
	for name, err := range map[string]error{"mxbai-embed-large": embedErr, "mistral": chatErr} {
		want := &model.MissingError{Model: name, Host: server.URL()}
		if diff := cmp.Diff(want, asType[*model.MissingError](t, err)); diff != "" {
			t.Errorf("error (-want +got):\n%s", diff)
		}
		wantContains(t, err.Error(), "run: ollama pull "+name+" (or compound-docs up)")
	}
	wantRequests(t, server, "/api/pull", 0)
}

func TestEmbedModel(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"mxbai-embed-large", "mxbai-embed-large:latest"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := fakeollama.Start(t)
			server.AddModel("mxbai-embed-large", "abcd")
			cfg := fast(server.URL())
			cfg.EmbedModel = name
			client := newClient(t, cfg)

			for range 3 {
				got, err := client.EmbedModel(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				want := model.Model{Name: name, Digest: "abcd", Dimensions: 1024, PromptVersion: got.PromptVersion}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("model (-want +got):\n%s", diff)
				}
			}
			wantRequests(t, server, "/api/tags", 1)
		})
	}
}

func TestErrors_SayWhatToDo(t *testing.T) {
	t.Parallel()
	cause := errors.New("cause")
	tests := []struct {
		err  error
		want string
	}{
		{
			&model.UnavailableError{Server: "ollama at h", CircuitState: "closed", Err: cause},
			"ollama at h: cause",
		},
		{
			&model.UnavailableError{Server: "ollama at h", CircuitState: "open", RetryAfter: 29_400_000_000, Err: cause},
			"ollama at h failed repeatedly and is not asked now, try again in 29s: cause",
		},
	}
	for _, test := range tests {
		if diff := cmp.Diff(test.want, test.err.Error()); diff != "" {
			t.Errorf("%T (-want +got):\n%s", test.err, diff)
		}
	}
}
