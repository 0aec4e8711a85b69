package testenv

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestStartOllama_ServesBothModels(t *testing.T) {
	t.Parallel()
	server, err := startOllama(t.Context(), t.Logf)
	if err != nil {
		t.Fatal(err)
	}
	stopped := false
	defer func() {
		if !stopped {
			t.Log("stop:", server.Stop())
		}
	}()
	if got, want := server.String(), "Ollama 0.10.1 with tiny stand-in models (private, built from its Go module)"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	again, err := connectOllama(t.Context(), server.Host, "a test's")
	if err != nil {
		t.Fatal(err)
	}
	if again.Models != TinyModels || again.Version != server.Version {
		t.Errorf("connecting to it: got %v", again)
	}
	stopped = true
	if err := server.Stop(); err != nil {
		t.Error("stop:", err)
	}
	if _, err := connectOllama(t.Context(), server.Host, "a test's"); err == nil {
		t.Error("the server answers after Stop")
	}
}

func TestConnectOllama_Refuses(t *testing.T) {
	t.Parallel()
	bare := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/api/version":
			_, _ = w.Write([]byte(`{"version":"0.10.1"}`))
		case "/api/tags":
			_, _ = w.Write([]byte(`{"models":[{"name":"mxbai-embed-large:latest"}]}`))
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(bare.Close)
	tests := []struct{ name, host, want string }{
		{"no URL", "localhost:11434", "is not a URL"},
		{"a model is missing", bare.URL, "ollama pull mistral"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := connectOllama(t.Context(), test.host, "a test's")
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got error %v, want one that says %q", err, test.want)
			}
		})
	}
}
