package ollama_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/rag/ollama"
	"github.com/compound-docs/compound-docs/test/fakeollama"
)

const (
	prefix = "Represent this sentence for searching relevant passages: "
	web    = "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery:"
)

// startModel starts a server that has the model too, and a client that embeds with it.
func startModel(t *testing.T, model string) (*fakeollama.Server, *ollama.Client) {
	t.Helper()
	server := fakeollama.Start(t)
	server.AddModel(model, "aaaa")
	cfg := fast(server.URL())
	cfg.EmbedModel, cfg.BatchBytes = model, 60
	return server, newClient(t, cfg)
}

func TestPrompts(t *testing.T) {
	t.Parallel()
	tests := []struct{ model, query, document string }{
		{"mxbai-embed-large", prefix, ""},
		{"mxbai-embed-large:335m-v1", prefix, ""},
		{"someone/MXBAI-embed-large:latest", prefix, ""},
		{"hf.co/mixedbread-ai/mxbai-embed-large-v1:f16", prefix, ""},
		{"snowflake-arctic-embed:335m", prefix, ""},
		{"snowflake-arctic-embed2", "query: ", ""},
		{"someone/snowflake-arctic-embed-l-v2.0", "query: ", ""},
		{"nomic-embed-text:v1.5", "search_query: ", "search_document: "},
		{"bge-m3", "", ""},
		{"registry.example:5000/team/bge-m3:567m", "", ""},
		{"bge-large", prefix, ""},
		{"someone/bge-large-en-v1.5:f16", prefix, ""},
		{"someone/bge-large-zh-v1.5:f16", "为这个句子生成表示以用于检索相关文章：", ""},
		{"someone/intfloat-multilingual-e5-large:q8_0", "query: ", "passage: "},
		{"someone/multilingual-e5-large-instruct", web + " ", ""},
		{"qwen3-embedding:0.6b", web, ""},
		{"embeddinggemma", "task: search result | query: ", "title: none | text: "},
		{"granite-embedding:278m", "", ""},
		{"mxbai-embed-large/another", "", ""},
		{"unheard-of", "", ""},
	}
	for _, test := range tests {
		t.Run(test.model, func(t *testing.T) {
			t.Parallel()
			server, client := startModel(t, test.model)

			if _, err := client.EmbedQuery(t.Context(), " a query\n"); err != nil {
				t.Fatal(err)
			}
			if _, err := client.Embed(t.Context(), []string{"a text", "", "another", "a text"}); err != nil {
				t.Fatal(err)
			}
			want := []string{test.query + "a query", test.document + "a text", test.document + "another"}
			if diff := cmp.Diff(want, server.Texts()); diff != "" {
				t.Errorf("embedded texts (-want +got):\n%s", diff)
			}
		})
	}
}

// A prompt takes room in a request as the text does.
func TestPrompts_CountTowardTheBatch(t *testing.T) {
	t.Parallel()
	texts := []string{"first text", "second text", "third text", "fourth text"}
	for model, want := range map[string][]int{"unheard-of": {4}, "nomic-embed-text": {2, 2}} {
		server, client := startModel(t, model)
		if _, err := client.Embed(t.Context(), texts); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, batchSizes(server)); diff != "" {
			t.Errorf("batch sizes of %s (-want +got):\n%s", model, diff)
		}
	}
}

// Vectors of one build of a model are not comparable when its prompts have changed,
// as they do when a name becomes known.
func TestEmbedModel_ChangesWithThePrompts(t *testing.T) {
	t.Parallel()
	byPrompts := map[int]string{}
	for model, prompts := range map[string]string{
		"mxbai-embed-large": prefix, "bge-large": prefix, "snowflake-arctic-embed2": "query: ",
		"e5-large": "query: and passage: ", "nomic-embed-text": "search_query: and search_document: ",
		"bge-m3": "none", "unheard-of": "none",
	} {
		_, client := startModel(t, model)
		got, err := client.EmbedModel(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		want := ollama.Model{Name: model, Digest: "aaaa", Dimensions: 1024, PromptVersion: got.PromptVersion}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("model (-want +got):\n%s", diff)
		}
		if other, ok := byPrompts[got.PromptVersion]; ok && other != prompts {
			t.Errorf("%s has the version of the prompts %q, and its own are %q", model, other, prompts)
		}
		byPrompts[got.PromptVersion] = prompts
	}
	if len(byPrompts) != 5 {
		t.Errorf("got versions of prompts %v, want 5", byPrompts)
	}
}

func TestEmbed_RefusesAModelOfOtherDimensions(t *testing.T) {
	t.Parallel()
	server, client := startModel(t, "nomic-embed-text")
	server.SetFaults(fakeollama.Faults{Dimensions: 768})
	want := &ollama.DimensionError{Model: "nomic-embed-text", Got: 768, Want: 1024}
	calls := map[string]func() error{
		"passages": func() error { _, err := client.Embed(t.Context(), numbered(3)); return err },
		"query":    func() error { _, err := client.EmbedQuery(t.Context(), "a query"); return err },
		"warm":     func() error { return client.Warm(t.Context()) },
	}
	for name, call := range calls {
		server.Forget()
		err := call()
		if diff := cmp.Diff(want, asType[*ollama.DimensionError](t, err)); diff != "" {
			t.Errorf("%s: error (-want +got):\n%s", name, diff)
		}
		wantContains(t, err.Error(), "nomic-embed-text makes vectors of 768 dimensions, the index holds 1024",
			"set embedding_model in settings.json to a model of 1024 dimensions", "mxbai-embed-large", "bge-m3")
		if requests := len(server.Requests("/api/embed")); requests != 1 {
			t.Errorf("%s: got %d requests, want 1: no retry helps", name, requests)
		}
	}
}

func TestWarm_LoadsTheModelAndCachesNothing(t *testing.T) {
	t.Parallel()
	server, client := start(t)
	for range 2 {
		if err := client.Warm(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	requests := server.Requests("/api/embed")
	if len(requests) != 2 {
		t.Fatalf("got %d requests, want one each time", len(requests))
	}
	got := fmt.Sprint(requests[1].Model, requests[1].Texts, string(requests[1].KeepAlive))
	if want := fmt.Sprint("mxbai-embed-large", []string{prefix + "warm"}, `"30m0s"`); got != want {
		t.Errorf("got request %s, want %s", got, want)
	}

	server.SetFaults(fakeollama.Faults{Zero: []string{"warm"}})
	wantContains(t, client.Warm(t.Context()).Error(), "load model mxbai-embed-large: ", "zero")
	server.SetFaults(fakeollama.Faults{Status: 500})
	asType[*ollama.UnavailableError](t, client.Warm(t.Context()))
}
