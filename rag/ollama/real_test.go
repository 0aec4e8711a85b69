package ollama_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/ollama/ollama/api"

	"github.com/compound-docs/compound-docs/rag/model"
)

// newRealClient is a client of a real server, which has to have the models
// mxbai-embed-large, or one of that name and its dimensions, and mistral.
func newRealClient(t *testing.T) *model.Client {
	t.Helper()
	host := os.Getenv("CDOCS_TEST_OLLAMA_HOST")
	if host == "" {
		t.Skip("CDOCS_TEST_OLLAMA_HOST is not set")
	}
	return newClient(t, model.Config{Host: host})
}

func TestReal_EmbedModel(t *testing.T) {
	t.Parallel()
	client := newRealClient(t)

	model, err := client.EmbedModel(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(model.Digest) != 64 {
		t.Errorf("got digest %q, want 64 hex digits", model.Digest)
	}
}

func TestReal_Embed(t *testing.T) {
	t.Parallel()
	client := newRealClient(t)
	texts := []string{
		"The database connection pool was exhausted.",
		strings.Repeat("far too long for its window ", 500),
		"",
		"How tests are named.",
	}

	got, err := client.Embed(t.Context(), texts)
	if err != nil {
		t.Fatal(err)
	}
	if !errors.Is(got[1].Err, model.ErrInputTooLong) {
		t.Errorf("got error %v for the long text, want ErrInputTooLong", got[1].Err)
	}
	if !errors.Is(got[2].Err, model.ErrUnusableText) {
		t.Errorf("got error %v for the empty text, want ErrUnusableText", got[2].Err)
	}
	query, err := client.EmbedQuery(t.Context(), "database connection pool")
	if err != nil {
		t.Fatal(err)
	}
	if near, far := dot(query.Vector, got[0].Vector), dot(query.Vector, got[3].Vector); near <= far {
		t.Errorf("related text at %.3f, unrelated at %.3f", near, far)
	}
	if _, err := client.EmbedQuery(t.Context(), texts[1]); err != nil {
		t.Errorf("a long query: %v", err)
	}
}

// Another model of 1,024 dimensions replaces the default: here the same one under the name of
// bge-m3, which gets no prompts.
func TestReal_AnotherEmbeddingModel(t *testing.T) {
	t.Parallel()
	standard := newRealClient(t)
	host := os.Getenv("CDOCS_TEST_OLLAMA_HOST")
	base, err := url.Parse(host)
	if err != nil {
		t.Fatal(err)
	}
	server := api.NewClient(base, http.DefaultClient)
	name := fmt.Sprintf("compound-docs-test/bge-m3:%d", time.Now().UnixNano())
	if err := server.Copy(t.Context(), &api.CopyRequest{Source: "mxbai-embed-large", Destination: name}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Delete(context.Background(), &api.DeleteRequest{Model: name}); err != nil {
			t.Error(err)
		}
	})
	client := newClient(t, model.Config{Host: host, EmbedModel: name})

	if err := client.Warm(t.Context()); err != nil {
		t.Fatal(err)
	}
	query, err := client.EmbedQuery(t.Context(), "database connection pool")
	if err != nil {
		t.Fatal(err)
	}
	passages, err := client.Embed(t.Context(), []string{"database connection pool"})
	if err != nil {
		t.Fatal(err)
	}
	if near := dot(query.Vector, passages[0].Vector); near < 0.999 {
		t.Errorf("a query and a passage of the same words are at %.4f, want 1: the model has no prompts", near)
	}
	other, err := client.EmbedModel(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	model, err := standard.EmbedModel(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if other.Digest != model.Digest || other.PromptVersion == model.PromptVersion || other.Name != name {
		t.Errorf("got %+v beside %+v, want the same build with another name and other prompts", other, model)
	}
}

func TestReal_Generate(t *testing.T) {
	t.Parallel()
	client := newRealClient(t)
	var streamed strings.Builder

	got, err := client.Generate(t.Context(), model.Prompt{System: "Be brief.", User: "Say hello."},
		func(text string) { streamed.WriteString(text) })
	if err != nil {
		t.Fatal(err)
	}
	if want := strings.TrimSpace(streamed.String()); got != want || got == "" {
		t.Errorf("got %q, streamed %q", got, want)
	}
}

// The model's registry is named in the model's name, and nothing listens there.
func TestReal_MissingModel(t *testing.T) {
	t.Parallel()
	host := os.Getenv("CDOCS_TEST_OLLAMA_HOST")
	if host == "" {
		t.Skip("CDOCS_TEST_OLLAMA_HOST is not set")
	}
	client := newClient(t, model.Config{Host: host, EmbedModel: "localhost:1/nobody/nothing"})

	_, err := client.Embed(t.Context(), []string{"a text"})
	missing := asType[*model.MissingError](t, err)
	if missing.Model != "localhost:1/nobody/nothing" {
		t.Errorf("got model %q", missing.Model)
	}
}

func dot(a, b []float32) float64 {
	var sum float64
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}
