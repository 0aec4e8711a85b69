package openai_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/compound-docs/compound-docs/rag/model"
	"github.com/compound-docs/compound-docs/rag/ollama"
)

// One server gives the same vectors by both of its APIs. Ollama cuts long texts if it is
// asked by OpenAI's, and that must not pass for a vector of the whole text.
func TestReal_VectorsAreThoseOfOllamasOwnAPI(t *testing.T) {
	t.Parallel()
	host := realHost(t)
	cfg := model.Config{Host: host, EmbedModel: "mxbai-embed-large", ChatModel: "mistral"}
	own, err := ollama.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = own.Close() })
	client := newClient(t, cfg)
	texts := []string{
		"The database connection pool was exhausted.", "", strings.Repeat("far too long for its window ", 500),
		strings.Repeat("how tests are named ", 60), "func main() {}",
	}

	want, err := own.Embed(t.Context(), texts)
	if err != nil {
		t.Fatal(err)
	}
	got, err := client.Embed(t.Context(), texts)
	if err != nil {
		t.Fatal(err)
	}
	for i := range texts {
		if errors.Is(got[i].Err, model.ErrInputTooLong) != errors.Is(want[i].Err, model.ErrInputTooLong) ||
			errors.Is(got[i].Err, model.ErrUnusableText) != errors.Is(want[i].Err, model.ErrUnusableText) {
			t.Errorf("text %d: error %v, want %v", i, got[i].Err, want[i].Err)
		}
		wantNear(t, got[i].Vector, want[i].Vector)
	}
	for _, query := range []string{"database connection pool", texts[2]} {
		want, err := own.EmbedQuery(t.Context(), query)
		if err != nil {
			t.Fatal(err)
		}
		got, err := client.EmbedQuery(t.Context(), query)
		if err != nil {
			t.Fatal(err)
		}
		wantNear(t, got.Vector, want.Vector)
	}
}

func wantNear(t *testing.T, got, want []float32) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d components, want %d", len(got), len(want))
	}
	for i := range got {
		if math.Abs(float64(got[i]-want[i])) > 0.0005 {
			t.Fatalf("component %d is %f, want %f", i, got[i], want[i])
		}
	}
}

func TestReal_Generate(t *testing.T) {
	t.Parallel()
	client := newClient(t, model.Config{Host: realHost(t), ChatModel: "mistral"})
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

func TestReal_State(t *testing.T) {
	t.Parallel()
	client := newClient(t, model.Config{Host: realHost(t), EmbedModel: "nobodys-model"})

	state := client.State(t.Context(), "mistral", "nobodys-model")
	if state.Err != nil || len(state.Missing) != 1 || state.Missing[0] != "nobodys-model" || !strings.HasSuffix(state.Host, "/v1") {
		t.Errorf("got %+v", state)
	}
	_, err := client.EmbedQuery(t.Context(), "a query")
	if err == nil || !strings.Contains(err.Error(), "it has no model nobodys-model") {
		t.Errorf("got %v, want an error that names the model", err)
	}
}
