package ollama_test

import (
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

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

func TestEmbed_NamesTheBuildOfItsVectors(t *testing.T) {
	t.Parallel()
	server, client := startOld(t)
	onEmbed(server, 2, func() { server.AddModel("mxbai-embed-large", newBuild) })
	for i, want := range []string{oldBuild, newBuild, newBuild} {
		got, err := client.Embed(t.Context(), numbered(i + 1)[i:])
		if err != nil {
			t.Fatal(err)
		}
		if got[0].Digest != want {
			t.Errorf("vector %d is of %s, want %s", i, got[0].Digest, want)
		}
	}
	texts := numbered(3)
	if diff := cmp.Diff([]string{texts[0], texts[1], texts[1], texts[2]}, server.Texts()); diff != "" {
		t.Errorf("what came between two builds is not made again (-want +got):\n%s", diff)
	}
	model, err := client.EmbedModel(t.Context())
	if err != nil || model.Digest != newBuild {
		t.Errorf("the model is %+v, %v, want the new build at once", model, err)
	}
}

// A model may be replaced and replaced back between two looks.
func TestEmbed_SeesAModelThatIsReplacedBack(t *testing.T) {
	t.Parallel()
	server, client := startOld(t)
	onEmbed(server, 1, func() {
		server.AddModel("mxbai-embed-large", newBuild)
		server.AddModel("mxbai-embed-large", oldBuild)
	})

	got, err := client.Embed(t.Context(), numbered(1))
	if err != nil {
		t.Fatal(err)
	}
	if got[0].Digest != oldBuild || len(server.Texts()) != 2 {
		t.Errorf("a vector of %s after %d requests, want one of %s after 2", got[0].Digest, len(server.Texts()), oldBuild)
	}
}

func TestEmbed_GivesUpOnAModelThatNeverSettles(t *testing.T) {
	t.Parallel()
	server, client := startOld(t)
	server.Observe(func(r *http.Request) {
		if r.URL.Path == "/api/embed" {
			server.AddModel("mxbai-embed-large", oldBuild)
		}
	})

	_, err := client.Embed(t.Context(), numbered(1))
	asType[*model.UnavailableError](t, err)
	wantContains(t, err.Error(), "keeps changing")
}

// A query under way when the model is replaced is not remembered as one of the
// model before, nor the other way round.
func TestEmbedQuery_NamesTheBuildAndRemembersByIt(t *testing.T) {
	t.Parallel()
	server, client := startOld(t)
	onEmbed(server, 1, func() { server.AddModel("mxbai-embed-large", newBuild) })
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
	ask(newBuild, 2)
	ask(newBuild, 2)
	server.AddModel("mxbai-embed-large", oldBuild)
	if _, err := client.Embed(t.Context(), []string{"a passage"}); err != nil {
		t.Fatal(err)
	}
	ask(oldBuild, 5)
}

func TestModel_RefusesAStrangeDigest(t *testing.T) {
	t.Parallel()
	server, client := start(t)
	server.AddModel("mxbai-embed-large", "no\x00digest")

	_, err := client.EmbedModel(t.Context())
	asType[*model.UnavailableError](t, err)
	wantContains(t, err.Error(), "digest of a model is invalid")
}

// A paused server takes requests and answers none, before an answer's first piece
// or after it.
func TestGenerate_GivesUpAPausedServer(t *testing.T) {
	t.Parallel()
	for _, stalls := range []string{"/api/chat", "the stream"} {
		t.Run(stalls, func(t *testing.T) {
			t.Parallel()
			server := fakeollama.Start(t)
			server.SetFaults(fakeollama.Faults{Stall: true})
			server.Observe(func(r *http.Request) {
				if r.URL.Path == stalls || r.URL.Path == "/api/version" {
					<-r.Context().Done()
				}
			})
			cfg := fast(server.URL())
			cfg.ProbeTimeout = 50 * time.Millisecond
			cfg.ChatTimeout = time.Hour
			client := newClient(t, cfg)

			_, err := client.Generate(t.Context(), model.Prompt{User: "hello"}, nil)
			asType[*model.UnavailableError](t, err)
			wantContains(t, err.Error(), "no answer within 50ms")
		})
	}
}

// A server that is alive and never ends is given up all the same.
func TestGenerate_GivesUpAnAnswerWithoutEnd(t *testing.T) {
	t.Parallel()
	server := fakeollama.Start(t)
	server.SetFaults(fakeollama.Faults{Stall: true})
	cfg := fast(server.URL())
	cfg.ChatLimit = 50 * time.Millisecond
	client := newClient(t, cfg)

	_, err := client.Generate(t.Context(), model.Prompt{User: "hello"}, nil)
	asType[*model.UnavailableError](t, err)
	wantContains(t, err.Error(), "no end of the answer within 50ms")
}

func TestPull_GivesUpAPausedServer(t *testing.T) {
	t.Parallel()
	server := fakeollama.Start(t)
	server.RemoveModel("mistral")
	server.SetPull(fakeollama.Pull{Hold: make(chan struct{})})
	server.Observe(func(r *http.Request) {
		if r.URL.Path == "/api/version" {
			<-r.Context().Done()
		}
	})
	cfg := fast(server.URL())
	cfg.ProbeTimeout = 50 * time.Millisecond
	client := newClient(t, cfg)

	_, err := client.Generate(t.Context(), model.Prompt{User: "hello"}, nil)
	asType[*model.ModelMissingError](t, err)
	wantContains(t, err.Error(), "no answer within 50ms", "ollama pull mistral")
}

// A server that cannot be asked for its build after a request may have another one now:
// its vectors are not used.
func TestEmbed_AsksAgainWhenTheBuildIsUnknownAfterwards(t *testing.T) {
	t.Parallel()
	server, client := start(t)
	onEmbed(server, 1, func() {
		server.SetFaults(fakeollama.Faults{Status: 500, Paths: []string{"/api/tags"}, Times: 1})
	})

	got, err := client.Embed(t.Context(), numbered(1))
	if err != nil {
		t.Fatal(err)
	}
	wantVectors(t, got, numbered(1)...)
	wantRequests(t, server, "/api/embed", 2)
}
