package ollama_test

import (
	"testing"

	"github.com/compound-docs/compound-docs/rag/model"
	"github.com/compound-docs/compound-docs/test/fakeollama"
)

func TestContextWindow(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name          string
		made, numCtx  int
		want, predict int
	}{
		{"the model was made for fewer", 2048, 8192, 2048, 512},
		{"the model was made for more", 131072, 8192, 8192, 1024},
		{"the model does not say", 0, 4096, 4096, 1024},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			server := fakeollama.Start(t)
			server.SetContextLength(test.made)
			cfg := fast(server.URL())
			cfg.NumCtx = test.numCtx
			client := newClient(t, cfg)

			if got := client.ContextWindow(t.Context()); got != test.want {
				t.Errorf("got %d tokens, want %d", got, test.want)
			}
			if _, err := client.Generate(t.Context(), model.Prompt{User: "hello"}, nil); err != nil {
				t.Fatal(err)
			}
			options := server.Requests("/api/chat")[0].Options
			if options["num_ctx"] != float64(test.want) || options["num_predict"] != float64(test.predict) {
				t.Errorf("options %v, want num_ctx %d and num_predict %d", options, test.want, test.predict)
			}
		})
	}
}

func TestContextWindow_WithoutAServer(t *testing.T) {
	t.Parallel()
	server, client := start(t)
	server.Close()

	if got := client.ContextWindow(t.Context()); got != 8192 {
		t.Errorf("got %d tokens, want those configured", got)
	}
}

func TestContextWindow_IsTheConfiguredOneWhileUnknown(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*fakeollama.Server){
		"model missing":   func(s *fakeollama.Server) { s.RemoveModel("mistral") },
		"it does not say": func(s *fakeollama.Server) { s.SetFaults(fakeollama.Faults{Status: 500, Paths: []string{"/api/show"}}) },
	} {
		server, client := start(t)
		server.SetContextLength(2048)
		change(server)
		if got := client.ContextWindow(t.Context()); got != 8192 {
			t.Errorf("%s: got %d tokens, want those configured", name, got)
		}
		server.SetFaults(fakeollama.Faults{})
		server.AddModel("mistral", newBuild)
		if got := client.ContextWindow(t.Context()); got != 2048 {
			t.Errorf("%s: got %d tokens once it is over, want 2048", name, got)
		}
	}
}
