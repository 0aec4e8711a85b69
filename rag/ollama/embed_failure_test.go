package ollama_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/compound-docs/compound-docs/rag/ollama"
	"github.com/compound-docs/compound-docs/test/fakeollama"
)

func TestEmbed_BadResponses(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		faults fakeollama.Faults
		want   string
	}{
		{"no JSON", fakeollama.Faults{Body: "<html>welcome</html>"}, "no valid JSON"},
		{"another shape", fakeollama.Faults{Body: `{"embeddings":["x"]}`}, "no valid JSON"},
		{"a number too large", fakeollama.Faults{Body: `{"embeddings":[[1e400]]}`}, "no valid JSON"},
		{"too few vectors", fakeollama.Faults{Missing: 1}, "1 vectors for 2 texts"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			server, client := start(t)
			test.faults.Paths = []string{"/api/embed"}
			server.SetFaults(test.faults)

			_, err := client.Embed(t.Context(), numbered(2))
			if !errors.Is(err, ollama.ErrBadResponse) {
				t.Errorf("got error %v, want ErrBadResponse", err)
			}
			unavailable := asType[*ollama.UnavailableError](t, err)
			if unavailable.RetryAfter != 0 {
				t.Errorf("retry after %s, want 0: waiting does not help", unavailable.RetryAfter)
			}
			wantContains(t, err.Error(), test.want, server.URL(), "is this an Ollama server?")
			wantRequests(t, server, "/api/embed", 1)
		})
	}
}

func TestEmbed_RetriesTransientErrorsOnly(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		faults   fakeollama.Faults
		requests int
		want     string // in the error; "" for none
	}{
		{"500 once", fakeollama.Faults{Status: 500, Times: 1}, 2, ""},
		{"503 twice", fakeollama.Faults{Status: 503, Times: 2}, 3, ""},
		{"500 forever", fakeollama.Faults{Status: 500, Message: "out of memory"}, 3, "HTTP 500 Internal Server Error: out of memory"},
		{"408", fakeollama.Faults{Status: 408, Times: 1}, 2, ""},
		{"429", fakeollama.Faults{Status: 429, Times: 2}, 3, ""},
		{"connection breaks", fakeollama.Faults{HangUp: true, Times: 1}, 2, ""},
		{"connection always breaks", fakeollama.Faults{HangUp: true}, 3, "the connection broke: EOF"},
		{"401", fakeollama.Faults{Status: 401}, 1, "HTTP 401 Unauthorized; check the user name and password"},
		{"403", fakeollama.Faults{Status: 403}, 1, "HTTP 403 Forbidden; check the user name and password"},
		{"404 of another server", fakeollama.Faults{Status: 404, Body: "404 page not found"}, 1, "is this an Ollama server?"},
		{"418", fakeollama.Faults{Status: 418}, 1, "HTTP 418 I'm a teapot"},
		{
			"not an embedding model",
			fakeollama.Faults{Status: 400, Message: `"mistral" does not support embeddings`},
			1, "does not support embeddings",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			server, client := start(t)
			test.faults.Paths = []string{"/api/embed"}
			server.SetFaults(test.faults)

			got, err := client.Embed(t.Context(), numbered(2))
			if test.want == "" {
				if err != nil {
					t.Fatal(err)
				}
				wantVectors(t, got, numbered(2)...)
			} else {
				unavailable := asType[*ollama.UnavailableError](t, err)
				if unavailable.Host != server.URL() || unavailable.CircuitState != "closed" {
					t.Errorf("got host %s, circuit %s; want %s, closed", unavailable.Host, unavailable.CircuitState, server.URL())
				}
				wantContains(t, err.Error(), test.want)
			}
			wantRequests(t, server, "/api/embed", test.requests)
		})
	}
}

func TestEmbed_SaysHowToStartOllama(t *testing.T) {
	t.Parallel()
	server, client := start(t)
	server.Close()

	_, err := client.Embed(t.Context(), numbered(1))
	asType[*ollama.UnavailableError](t, err)
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

func TestEmbed_TimesOut(t *testing.T) {
	t.Parallel()
	server := fakeollama.Start(t)
	cfg := fast(server.URL())
	cfg.EmbedTimeout = 1 // ns
	client := newClient(t, cfg)

	_, err := client.Embed(t.Context(), numbered(1))
	asType[*ollama.UnavailableError](t, err)
	if errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v is taken for the caller's deadline", err)
	}
	wantContains(t, err.Error(), "no answer within 1ns")
}

// A host that has stalled is told from one that is busy with the embedding.
func TestEmbed_GivesUpOnAHostThatStalls(t *testing.T) {
	t.Parallel()
	const patience = time.Second
	tests := []struct {
		name    string
		faults  fakeollama.Faults
		stalled bool
	}{
		{name: "everything hangs", faults: fakeollama.Faults{Delay: time.Hour}, stalled: true},
		{name: "the embedding takes its time", faults: fakeollama.Faults{Paths: []string{"/api/embed"}, Delay: patience}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			server := fakeollama.Start(t)
			cfg := fast(server.URL())
			cfg.ProbeTimeout = patience
			client := newClient(t, cfg)
			if _, err := client.Embed(t.Context(), numbered(1)); err != nil {
				t.Fatal(err)
			}
			server.SetFaults(test.faults)
			_, err := client.Embed(t.Context(), []string{"another text"})
			if test.stalled {
				asType[*ollama.UnavailableError](t, err)
				wantContains(t, err.Error(), "no answer within 1s")
			} else if err != nil {
				t.Errorf("a host that is busy: %v", err)
			}
		})
	}
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
	unavailable := asType[*ollama.UnavailableError](t, err)
	for _, text := range []string{err.Error(), unavailable.Host} {
		if strings.Contains(text, "secret") || strings.Contains(text, "someone") {
			t.Errorf("%q holds credentials", text)
		}
	}
}

// A host that fails while a bad text is looked for fails the call: the text is not to
// blame.
func TestEmbed_HostFailsWhileABadTextIsLookedFor(t *testing.T) {
	t.Parallel()
	server, client := start(t)
	server.SetFaults(fakeollama.Faults{Reject: []string{"number 1"}})
	onEmbed(server, 1, func() { server.SetFaults(fakeollama.Faults{Status: 500, Message: "out of memory"}) })

	got, err := client.Embed(t.Context(), numbered(4))
	asType[*ollama.UnavailableError](t, err)
	wantContains(t, err.Error(), "out of memory")
	if got != nil {
		t.Errorf("got embeddings %v beside the error, want none", got)
	}
}
