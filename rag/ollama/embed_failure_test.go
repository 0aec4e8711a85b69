package ollama_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/compound-docs/compound-docs/rag/model"
	"github.com/compound-docs/compound-docs/test/fakeollama"
)

func TestEmbed_SaysHowToStartOllama(t *testing.T) {
	t.Parallel()
	server, client := start(t)
	server.Close()

	_, err := client.Embed(t.Context(), numbered(1))
	asType[*model.UnavailableError](t, err)
	wantContains(t, err.Error(), "ollama serve", server.URL())
}

func TestEmbed_CutsServerMessages(t *testing.T) {
	t.Parallel()
	server, client := start(t)
	server.SetFaults(fakeollama.Faults{Status: 500, Message: strings.Repeat("much\nado ", 1000)})

	_, err := client.Embed(t.Context(), numbered(1))
	if length := len([]rune(err.Error())); length > 450 || strings.Contains(err.Error(), "\n") {
		t.Errorf("got %d characters: %v", length, err)
	}
}

func TestEmbed_StopsWithTheCaller(t *testing.T) {
	t.Parallel()
	server, client := start(t)
	ctx, cancel := context.WithCancel(t.Context())
	server.Observe(func(r *http.Request) {
		if r.URL.Path == "/api/embed" {
			cancel()
			<-r.Context().Done()
		}
	})

	_, err := client.Embed(ctx, numbered(1))
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got error %v, want context.Canceled", err)
	}
	wantLeft(t, server, "/api/embed")
	wantRequests(t, server, "/api/embed", 1)
}

func TestEmbed_HidesCredentials(t *testing.T) {
	t.Parallel()
	server := fakeollama.Start(t)
	client := newClient(t, fast(strings.Replace(server.URL(), "http://", "http://someone:secret@", 1)))

	if _, err := client.Embed(t.Context(), numbered(1)); err != nil {
		t.Fatal(err)
	}
	request := server.Requests("/api/embed")[0]
	if request.Username != "someone" || request.Password != "secret" {
		t.Errorf("got user %q, password %q", request.Username, request.Password)
	}
	server.Close()
	_, err := client.Embed(t.Context(), numbered(1))
	unavailable := asType[*model.UnavailableError](t, err)
	for _, text := range []string{err.Error(), unavailable.Server} {
		if strings.Contains(text, "secret") || strings.Contains(text, "someone") {
			t.Errorf("%q holds credentials", text)
		}
	}
}

// A server that fails while a bad text is looked for fails the call: the text is not to
// blame.
func TestEmbed_FailsWhileABadTextIsLookedFor(t *testing.T) {
	t.Parallel()
	server, client := start(t)
	server.SetFaults(fakeollama.Faults{Reject: []string{"number 1"}})
	onEmbed(server, 1, func() { server.SetFaults(fakeollama.Faults{Status: 500, Message: "out of memory"}) })

	got, err := client.Embed(t.Context(), numbered(4))
	asType[*model.UnavailableError](t, err)
	wantContains(t, err.Error(), "out of memory")
	if got != nil {
		t.Errorf("got embeddings %v beside the error, want none", got)
	}
}
