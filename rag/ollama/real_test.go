package ollama_test

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/compound-docs/compound-docs/rag/model"
)

// A real server refuses texts that are too long or empty, and the client knows both refusals by their messages. The
// server has the model mxbai-embed-large, or one of that name and its dimensions.
func TestReal_Embed(t *testing.T) {
	t.Parallel()
	host := os.Getenv("CDOCS_TEST_OLLAMA_HOST")
	if host == "" {
		t.Skip("CDOCS_TEST_OLLAMA_HOST is not set")
	}
	client := newClient(t, model.Config{Host: host})
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

func dot(a, b []float32) float64 {
	var sum float64
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}
