package testenv

import (
	"sync"
	"testing"
)

func TestStartOllama_ServesBothModels(t *testing.T) {
	t.Parallel()
	server, err := startOllama(t.Context(), t.Logf)
	if err != nil {
		t.Fatal(err)
	}
	stop := sync.OnceValue(server.Stop)
	t.Cleanup(func() { _ = stop() })
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
	if err := stop(); err != nil {
		t.Error("stop:", err)
	}
	if _, err := connectOllama(t.Context(), server.Host, "a test's"); err == nil {
		t.Error("the server answers after Stop")
	}
}
