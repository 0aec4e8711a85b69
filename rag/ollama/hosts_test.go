package ollama_test

import (
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/rag/ollama"
	"github.com/compound-docs/compound-docs/test/fakeollama"
)

// startTwo returns two servers and a client of both whose batches are of one
// text each.
func startTwo(t *testing.T) (first, second *fakeollama.Server, client *ollama.Client) {
	t.Helper()
	first, second = fakeollama.Start(t), fakeollama.Start(t)
	cfg := fast(first.URL(), second.URL())
	cfg.BatchSize = 1
	return first, second, newClient(t, cfg)
}

func TestHosts_ShareEmbedding(t *testing.T) {
	t.Parallel()
	first, second, client := startTwo(t)
	// Neither answers before both were asked.
	asked := make(chan struct{}, 2)
	both := make(chan struct{})
	wait := func(r *http.Request) {
		if r.URL.Path == "/api/embed" {
			asked <- struct{}{}
			<-both
		}
	}
	first.Observe(wait)
	second.Observe(wait)
	go func() {
		<-asked
		<-asked
		close(both)
		for range 8 {
			<-asked
		}
	}()
	texts := numbered(10)

	got, err := client.Embed(t.Context(), texts)
	if err != nil {
		t.Fatal(err)
	}
	wantVectors(t, got, texts...)
	if len(first.Texts())+len(second.Texts()) != 10 || len(first.Texts()) == 0 || len(second.Texts()) == 0 {
		t.Errorf("got %d and %d texts, want 10 shared", len(first.Texts()), len(second.Texts()))
	}
}

func TestHosts_PassOverOneThatIsAway(t *testing.T) {
	t.Parallel()
	first, second, client := startTwo(t)
	first.Close()
	texts := numbered(5)

	got, err := client.Embed(t.Context(), texts)
	if err != nil {
		t.Fatal(err)
	}
	wantVectors(t, got, texts...)
	if len(second.Texts()) != 5 {
		t.Errorf("got %d texts, want 5", len(second.Texts()))
	}
	answer, err := client.Generate(t.Context(), ollama.Prompt{User: "hello"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff("This is an answer to: hello", answer); diff != "" {
		t.Errorf("answer (-want +got):\n%s", diff)
	}
}

func TestHosts_OpenBreakerIsPassedOver(t *testing.T) {
	t.Parallel()
	first, second := fakeollama.Start(t), fakeollama.Start(t)
	cfg := fast(first.URL(), second.URL())
	cfg.Breaker = ollama.BreakerConfig{MinCalls: 2, OpenFor: time.Hour}
	client := newClient(t, cfg)
	first.SetFaults(fakeollama.Faults{Status: 500, Paths: []string{"/api/chat"}})

	for range 6 {
		if _, err := client.Generate(t.Context(), ollama.Prompt{User: "hello"}, nil); err != nil {
			t.Fatal(err)
		}
	}
	if got, other := len(first.Requests("/api/chat")), len(second.Requests("/api/chat")); got != 2 || other != 6 {
		t.Errorf("got %d and %d requests, want 2, which open the breaker, and 6", got, other)
	}
}

func TestHosts_ChatGoesToTheFirst(t *testing.T) {
	t.Parallel()
	first, second, client := startTwo(t)

	for range 4 {
		if _, err := client.Generate(t.Context(), ollama.Prompt{User: "hello"}, nil); err != nil {
			t.Fatal(err)
		}
	}
	if got, other := len(first.Requests("/api/chat")), len(second.Requests("/api/chat")); got != 4 || other != 0 {
		t.Errorf("got %d and %d requests, want 4 and 0", got, other)
	}
}

func TestHosts_ModelOnOneOnly(t *testing.T) {
	t.Parallel()
	first, second, client := startTwo(t)
	first.RemoveModel("mistral")
	first.RemoveModel("mxbai-embed-large")

	if _, err := client.Generate(t.Context(), ollama.Prompt{User: "hello"}, nil); err != nil {
		t.Fatal(err)
	}
	got, err := client.Embed(t.Context(), numbered(3))
	if err != nil {
		t.Fatal(err)
	}
	wantVectors(t, got, numbered(3)...)
	if pulls := len(first.Requests("/api/pull")) + len(second.Requests("/api/pull")); pulls != 0 {
		t.Errorf("got %d pulls, want none: a host has the model", pulls)
	}
}

func TestHosts_NeverMixVersionsOfAModel(t *testing.T) {
	t.Parallel()
	first, second, client := startTwo(t)
	first.AddModel("mxbai-embed-large", "aaaa")
	second.AddModel("mxbai-embed-large", "bbbb")
	texts := numbered(6)

	got, err := client.Embed(t.Context(), texts)
	if err != nil {
		t.Fatal(err)
	}
	wantVectors(t, got, texts...)
	if len(first.Texts()) != 6 || len(second.Texts()) != 0 {
		t.Errorf("got %d and %d texts, want 6 and 0", len(first.Texts()), len(second.Texts()))
	}

	first.Close()
	_, err = client.Embed(t.Context(), texts)
	asType[*ollama.UnavailableError](t, err)
	if len(second.Texts()) != 0 {
		t.Errorf("got %d texts at the host with another version", len(second.Texts()))
	}
	_, err = client.EmbedModel(t.Context())
	asType[*ollama.UnavailableError](t, err)
}

func TestHosts_ModelChangedOnAll(t *testing.T) {
	t.Parallel()
	first, second := fakeollama.Start(t), fakeollama.Start(t)
	cfg := fast(first.URL(), second.URL())
	cfg.ModelTTL = 1 // ns
	client := newClient(t, cfg)
	digest := func() string {
		t.Helper()
		model, err := client.EmbedModel(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return model.Digest
	}
	first.AddModel("mxbai-embed-large", "aaaa")
	second.AddModel("mxbai-embed-large", "aaaa")
	got := []string{digest()}
	first.AddModel("mxbai-embed-large", "bbbb")
	got = append(got, digest())
	second.AddModel("mxbai-embed-large", "bbbb")
	got = append(got, digest())

	if diff := cmp.Diff([]string{"aaaa", "aaaa", "bbbb"}, got); diff != "" {
		t.Errorf("digests (-want +got):\n%s", diff)
	}
}

func TestNew_RefusesBadConfigurations(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		cfg  ollama.Config
		want string
	}{
		{"host with another scheme", ollama.Config{Hosts: []string{"a:1", "ftp://x"}}, "host 2 of 2: not a URL"},
		{"empty host", ollama.Config{Hosts: []string{" "}}, "host 1 of 1: not a URL"},
		{"password with bad escape", ollama.Config{Hosts: []string{"http://me:secret%@x:1"}}, "not a URL"},
		{"negative batch", ollama.Config{BatchSize: -1}, "batch size must be positive, not -1"},
		{"window of the answer", ollama.Config{NumCtx: 1024}, "leaves no room for a prompt"},
		{"too many tries", ollama.Config{Tries: 11}, "tries must be at most 10"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := ollama.New(test.cfg)
			if err == nil {
				t.Fatal("got no error")
			}
			wantContains(t, err.Error(), test.want)
			if wrapped := errors.Unwrap(err); wrapped == nil {
				t.Errorf("%v wraps nothing", err)
			}
		})
	}
}

func TestHosts_CountsEachOnce(t *testing.T) {
	t.Parallel()
	client := newClient(t, fast("http://a:1", "b", "http://a:1/", "http://b:11434"))
	if got := client.Hosts(); got != 2 {
		t.Errorf("got %d hosts, want 2: a and b", got)
	}
}

func TestHosts_AllAway(t *testing.T) {
	t.Parallel()
	first, second, client := startTwo(t)
	first.Close()
	second.Close()

	_, err := client.Embed(t.Context(), numbered(2))
	if got := asType[*ollama.UnavailableError](t, err); got.Host != first.URL() && got.Host != second.URL() {
		t.Errorf("got host %s, want one of the two", got.Host)
	}
	wantContains(t, err.Error(), "start Ollama: ollama serve")
}
