package ollama_test

import (
	"errors"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/rag/model"
	"github.com/compound-docs/compound-docs/test/fakeollama"
)

// Callers learn at once that a model is missing. Once it is pulled they get what they ask.
func TestPull_OfAMissingModel(t *testing.T) {
	t.Parallel()
	server := fakeollama.Start(t)
	server.RemoveModel("mxbai-embed-large")
	server.RemoveModel("mistral")
	client := newClient(t, fast(server.URL()))

	var callers sync.WaitGroup
	ask := func(call func() error) {
		callers.Go(func() {
			err := call()
			for err != nil && errors.As(err, new(*model.MissingError)) {
				time.Sleep(time.Millisecond)
				err = call()
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	for _, text := range numbered(4) {
		ask(func() error { _, err := client.Embed(t.Context(), []string{text}); return err })
	}
	ask(func() error {
		_, err := client.Generate(t.Context(), model.Prompt{User: "hello"}, nil)
		return err
	})
	callers.Wait()

	if pulls := len(server.Requests("/api/pull")); pulls != 2 {
		t.Errorf("got %d pulls, want one of each model", pulls)
	}
}

func TestPull_IsMadeOnceWhileItRuns(t *testing.T) {
	t.Parallel()
	server := fakeollama.Start(t)
	server.RemoveModel("mxbai-embed-large")
	hold, pulled := make(chan struct{}), make(chan struct{}, 1)
	server.SetPull(fakeollama.Pull{Hold: hold})
	server.Observe(func(r *http.Request) {
		if r.URL.Path == "/api/pull" {
			pulled <- struct{}{}
		}
	})
	client := newClient(t, fast(server.URL()))

	_, err := client.Embed(t.Context(), numbered(1))
	<-pulled
	for range 3 {
		_, err = client.Embed(t.Context(), numbered(1))
	}
	want := &model.MissingError{Model: "mxbai-embed-large", Host: server.URL()}
	if diff := cmp.Diff(want, asType[*model.MissingError](t, err)); diff != "" {
		t.Errorf("error (-want +got):\n%s", diff)
	}
	wantContains(t, err.Error(), "run: ollama pull mxbai-embed-large", "a server that runs pulls it itself")
	wantRequests(t, server, "/api/pull", 1)
	close(hold)
	for err != nil {
		asType[*model.MissingError](t, err)
		_, err = client.Embed(t.Context(), numbered(1))
	}
}

func TestPull_FailureIsNotRepeatedAtOnce(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		pull   fakeollama.Pull
		faults fakeollama.Faults
		want   string
	}{
		{"unknown model", fakeollama.Pull{Err: "pull model manifest: file does not exist"}, fakeollama.Faults{}, "file does not exist"},
		{"connection breaks", fakeollama.Pull{}, fakeollama.Faults{HangUp: true, Paths: []string{"/api/pull"}}, "unexpected EOF"},
		{"refused", fakeollama.Pull{}, fakeollama.Faults{Status: 500, Message: "disk full", Paths: []string{"/api/pull"}}, "disk full"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			server, client := start(t)
			server.RemoveModel("mxbai-embed-large")
			server.SetPull(test.pull)
			server.SetFaults(test.faults)

			for range 3 {
				_, err := client.Embed(t.Context(), numbered(1))
				for asType[*model.MissingError](t, err).Err == nil {
					_, err = client.Embed(t.Context(), numbered(1))
				}
				wantContains(t, err.Error(), test.want, "ollama pull mxbai-embed-large")
			}
			if pulls := len(server.Requests("/api/pull")); pulls != 1 {
				t.Errorf("got %d pulls, want 1", pulls)
			}
		})
	}
}

func TestPull_CloseCancels(t *testing.T) {
	t.Parallel()
	server := fakeollama.Start(t)
	server.RemoveModel("mistral")
	server.SetPull(fakeollama.Pull{Hold: make(chan struct{})})
	started := make(chan struct{}, 1)
	server.Observe(func(r *http.Request) {
		if r.URL.Path == "/api/pull" {
			started <- struct{}{}
		}
	})
	client := newClient(t, fast(server.URL()))
	_, err := client.Generate(t.Context(), model.Prompt{User: "hello"}, nil)
	if missing := asType[*model.MissingError](t, err); missing.Err != nil {
		t.Errorf("the pull has failed: %v", missing.Err)
	}
	<-started
	if err := client.Close(); err != nil {
		t.Fatal(err)
	}
	wantLeft(t, server, "/api/pull")
	server.RemoveModel("mxbai-embed-large")
	_, err = client.Embed(t.Context(), numbered(1))
	asType[*model.MissingError](t, err)
	wantContains(t, err.Error(), "the client is closed")
}

func TestEmbedModel(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"mxbai-embed-large", "mxbai-embed-large:latest"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := fakeollama.Start(t)
			server.AddModel("mxbai-embed-large", "abcd")
			cfg := fast(server.URL())
			cfg.EmbedModel = name
			client := newClient(t, cfg)

			for range 3 {
				got, err := client.EmbedModel(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				want := model.Model{Name: name, Digest: "abcd", Dimensions: 1024, PromptVersion: got.PromptVersion}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("model (-want +got):\n%s", diff)
				}
			}
			wantRequests(t, server, "/api/tags", 1)
		})
	}
}

func TestErrors_SayWhatToDo(t *testing.T) {
	t.Parallel()
	cause := errors.New("cause")
	tests := []struct {
		err  error
		want string
	}{
		{
			&model.MissingError{Model: "m", Host: "h", Err: cause},
			"model m is not installed at h and could not be pulled: cause; run: ollama pull m",
		},
		{
			&model.UnavailableError{Server: "ollama at h", CircuitState: "closed", Err: cause},
			"ollama at h: cause",
		},
		{
			&model.UnavailableError{Server: "ollama at h", CircuitState: "open", RetryAfter: 29_400_000_000, Err: cause},
			"ollama at h failed repeatedly and is not asked for now, try again in 29s: cause",
		},
	}
	for _, test := range tests {
		if diff := cmp.Diff(test.want, test.err.Error()); diff != "" {
			t.Errorf("%T (-want +got):\n%s", test.err, diff)
		}
	}
}

// A model that is gone again after its pull is not pulled for ever.
func TestPull_ModelIsMissingAfterwards(t *testing.T) {
	t.Parallel()
	server, client := start(t)
	server.Observe(func(r *http.Request) {
		if r.URL.Path == "/api/chat" {
			server.RemoveModel("mistral")
		}
	})

	_, err := client.Generate(t.Context(), model.Prompt{User: "hello"}, nil)
	for asType[*model.MissingError](t, err).Err == nil {
		_, err = client.Generate(t.Context(), model.Prompt{User: "hello"}, nil)
	}
	wantContains(t, err.Error(), "gone again", "ollama pull mistral")
	wantRequests(t, server, "/api/pull", 1)
}
