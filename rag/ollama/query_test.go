package ollama_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/rag/model"
	"github.com/compound-docs/compound-docs/test/fakeollama"
)

func TestEmbedQuery_RemembersQueries(t *testing.T) {
	t.Parallel()
	server, client := start(t)
	want := fakeollama.Vector("again", dimensions)

	for range 3 {
		got, err := client.EmbedQuery(t.Context(), "again")
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got.Vector); diff != "" {
			t.Fatal("another vector than the fake's")
		}
		clear(got.Vector) // the caller's own
	}
	wantRequests(t, server, "/api/embed", 1)
}

func TestEmbedQuery_ForgetsOldestQueries(t *testing.T) {
	t.Parallel()
	server, client := start(t)
	ask := func(query string) {
		t.Helper()
		if _, err := client.EmbedQuery(t.Context(), query); err != nil {
			t.Fatal(err)
		}
	}
	ask("first")
	for i := range 256 {
		ask(fmt.Sprintf("query %d", i))
	}
	server.Forget()
	ask("query 255")
	ask("first")
	if diff := cmp.Diff([]string{prefix + "first"}, server.Texts()); diff != "" {
		t.Errorf("embedded again (-want +got):\n%s", diff)
	}
}

func TestEmbedQuery_ForgetsQueriesOfAnotherModel(t *testing.T) {
	t.Parallel()
	server := fakeollama.Start(t)
	cfg := fast(server.URL())
	cfg.ModelTTL = 1 // ns
	client := newClient(t, cfg)
	for _, digest := range []string{"aaaa", "aaaa", "bbbb"} {
		server.AddModel("mxbai-embed-large", digest)
		if _, err := client.EmbedModel(t.Context()); err != nil {
			t.Fatal(err)
		}
		if _, err := client.EmbedQuery(t.Context(), "again"); err != nil {
			t.Fatal(err)
		}
	}
	if requests := len(server.Requests("/api/embed")); requests != 2 {
		t.Errorf("got %d requests, want one for each version of the model", requests)
	}
}

func TestEmbedQuery_CutsLongQueries(t *testing.T) {
	t.Parallel()
	server, client := start(t)
	server.SetFaults(fakeollama.Faults{Window: 20})
	query := strings.TrimSpace(strings.Repeat("word ", 100))

	if _, err := client.EmbedQuery(t.Context(), query); err != nil {
		t.Fatal(err)
	}
	texts := server.Texts()
	last := strings.Fields(strings.TrimPrefix(texts[len(texts)-1], prefix))
	if len(last) > 13 || len(last) < 8 {
		t.Errorf("got %d words, want 8 to 13: %q", len(last), last)
	}
	server.Forget()
	if _, err := client.EmbedQuery(t.Context(), query); err != nil || len(server.Texts()) != 0 {
		t.Errorf("got error %v after %d requests, want the long query remembered", err, len(server.Texts()))
	}
}

func TestEmbedQuery_CutsHugeQueriesBeforehand(t *testing.T) {
	t.Parallel()
	server, client := start(t)

	if _, err := client.EmbedQuery(t.Context(), strings.Repeat("ö", 1<<20)); err != nil {
		t.Fatal(err)
	}
	if got := len(server.Texts()[0]) - len(prefix); got > 32<<10 || got < 32<<10-2 {
		t.Errorf("asked for %d bytes, want 32 KiB", got)
	}
}

func TestEmbedQuery_Errors(t *testing.T) {
	t.Parallel()
	server, client := start(t)

	_, err := client.EmbedQuery(t.Context(), " ")
	if !errors.Is(err, model.ErrUnusableText) {
		t.Errorf("got error %v, want ErrUnusableText for a blank query", err)
	}

	server.SetFaults(fakeollama.Faults{Window: 1})
	_, err = client.EmbedQuery(t.Context(), "one two three")
	if !errors.Is(err, model.ErrInputTooLong) {
		t.Errorf("got error %v, want ErrInputTooLong where not even a word fits", err)
	}

	server.SetFaults(fakeollama.Faults{Status: 500})
	_, err = client.EmbedQuery(t.Context(), "anything")
	asType[*model.UnavailableError](t, err)

	server.SetFaults(fakeollama.Faults{})
	if _, err = client.EmbedQuery(t.Context(), "anything"); err != nil {
		t.Errorf("an error was remembered: %v", err)
	}
}
