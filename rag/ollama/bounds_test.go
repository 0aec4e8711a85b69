package ollama_test

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/rag/model"
	"github.com/compound-docs/compound-docs/test/fakeollama"
)

func TestGenerate_BoundsTheAnswer(t *testing.T) {
	t.Parallel()
	piece := func(text string) string { return `{"message":{"content":"` + text + `"}}` + "\n" }
	tests := []struct{ name, body, want, text string }{
		{"a piece that does not end", `{"message":{"content":"` + strings.Repeat("long ", 60_000), "the server reports: ", ""},
		{"pieces of nothing", strings.Repeat(piece(""), 100), "the answer does not end at the 10 tokens asked for", ""},
		{"too many pieces", strings.Repeat(piece("a "), 100), "the answer does not end at the 10 tokens asked for", strings.TrimSpace(strings.Repeat("a ", 20))},
		{"too long pieces", piece(strings.Repeat("b", 1000)) + piece(strings.Repeat("c", 1000)), "does not end at the 10 tokens", strings.Repeat("b", 1000)},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			server := fakeollama.Start(t)
			server.SetFaults(fakeollama.Faults{Body: test.body, Paths: []string{"/api/chat"}})
			cfg := fast(server.URL())
			cfg.AnswerTokens = 10
			client := newClient(t, cfg)

			got, err := client.Generate(t.Context(), model.Prompt{User: "hello"}, nil)
			asType[*model.UnavailableError](t, err)
			wantContains(t, err.Error(), test.want)
			if diff := cmp.Diff(test.text, got); diff != "" {
				t.Errorf("text (-want +got):\n%s", diff)
			}
		})
	}
}

// Texts go to the host that was configured, and to no other.
func TestEmbed_FollowsNoRedirect(t *testing.T) {
	t.Parallel()
	elsewhere := fakeollama.Start(t)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, elsewhere.URL()+r.URL.Path, http.StatusTemporaryRedirect)
	}))
	t.Cleanup(server.Close)
	client := newClient(t, fast(server.URL))

	_, err := client.Embed(t.Context(), numbered(1))
	asType[*model.UnavailableError](t, err)
	wantContains(t, err.Error(), "it redirects to "+elsewhere.URL(), "make that address the Ollama host")
	if requests := elsewhere.Requests(""); len(requests) != 0 {
		t.Errorf("%d requests followed the redirect", len(requests))
	}
}

func TestEmbed_RefusesAnUnknownCertificate(t *testing.T) {
	t.Parallel()
	requests := 0
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { requests++ }))
	server.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	server.StartTLS()
	t.Cleanup(server.Close)
	client := newClient(t, fast(server.URL))

	_, err := client.Embed(t.Context(), numbered(1))
	if got := asType[*model.UnavailableError](t, err).RetryAfter; got != 0 {
		t.Errorf("retry after %s, want 0: waiting does not help", got)
	}
	wantContains(t, err.Error(), "certificate")
	if requests != 0 {
		t.Errorf("%d requests reached the server", requests)
	}
}
