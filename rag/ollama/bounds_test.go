package ollama_test

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/compound-docs/compound-docs/rag/model"
	"github.com/compound-docs/compound-docs/test/fakeollama"
)

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
	wantContains(t, err.Error(), "it redirects to "+elsewhere.URL(), "configure that address")
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
