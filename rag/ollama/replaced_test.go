package ollama_test

import (
	"errors"
	"net/http"
	"sync"
	"testing"

	"github.com/compound-docs/compound-docs/rag/model"
	"github.com/compound-docs/compound-docs/rag/ollama"
	"github.com/compound-docs/compound-docs/test/fakeollama"
)

const (
	oldBuild = "aaaa"
	newBuild = "bbbb"
)

// startOld returns a server with the old build of the model, and a client that knows the
// build.
func startOld(t *testing.T) (*fakeollama.Server, *ollama.Client) {
	t.Helper()
	server := fakeollama.Start(t)
	server.AddModel("mxbai-embed-large", oldBuild)
	client := newClient(t, fast(server.URL()))
	if _, err := client.EmbedModel(t.Context()); err != nil {
		t.Fatal(err)
	}
	return server, client
}

// onEmbed calls f at the start of the nth request for vectors, counted from 1.
func onEmbed(server *fakeollama.Server, nth int, f func()) {
	var mu sync.Mutex
	requests := 0
	server.Observe(func(r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		if r.URL.Path == "/api/embed" {
			if requests++; requests == nth {
				f()
			}
		}
	})
}

// Vectors that may be of two builds are given to nobody.
func TestEmbed_SeesThatTheModelIsReplaced(t *testing.T) {
	t.Parallel()
	server, client := startOld(t)
	onEmbed(server, 2, func() { server.AddModel("mxbai-embed-large", newBuild) })
	for i, want := range []string{oldBuild, "", newBuild} {
		got, err := client.Embed(t.Context(), numbered(1))
		if want == "" {
			if !errors.Is(err, model.ErrModelReplaced) {
				t.Errorf("got %v during the pull, want ErrModelReplaced", err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if got[0].Digest != want {
			t.Errorf("vector %d is of %s, want %s", i, got[0].Digest, want)
		}
	}
	found, err := client.EmbedModel(t.Context())
	if err != nil || found.Digest != newBuild {
		t.Errorf("the model is %+v, %v, want the new build at once", found, err)
	}
}

// A request for passages costs one look at the model, and a query none while it is known.
func TestEmbed_AsksForTheModelOnce(t *testing.T) {
	t.Parallel()
	server, client := startOld(t)
	server.Forget()
	if _, err := client.Embed(t.Context(), numbered(3)); err != nil {
		t.Fatal(err)
	}
	wantRequests(t, server, "/api/tags", 1)
	if _, err := client.EmbedQuery(t.Context(), "a query"); err != nil {
		t.Fatal(err)
	}
	wantRequests(t, server, "/api/tags", 1)
}

// A query's vector is remembered for the build that made it.
func TestEmbedQuery_ForgetsWithTheModel(t *testing.T) {
	t.Parallel()
	server, client := startOld(t)
	ask := func(want string, requests int) {
		t.Helper()
		got, err := client.EmbedQuery(t.Context(), "a query")
		if err != nil {
			t.Fatal(err)
		}
		if got.Digest != want || len(server.Texts()) != requests {
			t.Errorf("got a vector of %s after %d requests, want %s after %d", got.Digest, len(server.Texts()), want, requests)
		}
	}
	ask(oldBuild, 1)
	ask(oldBuild, 1)
	server.AddModel("mxbai-embed-large", newBuild)
	if _, err := client.Embed(t.Context(), []string{"a passage"}); !errors.Is(err, model.ErrModelReplaced) {
		t.Errorf("got %v, want ErrModelReplaced", err)
	}
	ask(newBuild, 3)
}

// A server that cannot be asked for its build after a request may have another one now:
// its vectors are not used.
func TestEmbed_FailsWhereTheBuildIsUnknownAfterwards(t *testing.T) {
	t.Parallel()
	server, client := startOld(t)
	onEmbed(server, 1, func() { server.SetFaults(fakeollama.Faults{Status: 500, Paths: []string{"/api/tags"}}) })

	_, err := client.Embed(t.Context(), numbered(1))
	asType[*model.UnavailableError](t, err)
}
