package ollama_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/compound-docs/compound-docs/rag/model"
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
	cfg.EmbedModel = model
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
		{"all-minilm:l6-v2", "", ""},
		{"bge-m3", "", ""},
		{"registry.example:5000/team/bge-m3:567m", "", ""},
		{"bge-large", prefix, ""},
		{"someone/bge-small-en-v1.5", prefix, ""},
		{"someone/multilingual-e5-small", "query: ", "passage: "},
		{"someone/bge-large-en-v1.5:f16", prefix, ""},
		{"someone/bge-large-zh-v1.5:f16", "为这个句子生成表示以用于检索相关文章：", ""},
		{"someone/intfloat-multilingual-e5-large:q8_0", "query: ", "passage: "},
		{"someone/multilingual-e5-large-instruct", web + " ", ""},
		{"qwen3-embedding:0.6b", web, ""},
		{"embeddinggemma", "task: search result | query: ", "title: none | text: "},
		{"granite-embedding:278m", "", ""},
		{"/models/snowflake-arctic-embed-m-v2.0-q8_0.gguf", "query: ", ""},
		{"thenlper/gte-small", "", ""},
		{"someone/gte-multilingual-base", "", ""},
		{"jina/jina-embeddings-v2-base-en", "", ""},
		{
			"jinaai/jina-embeddings-v3", "Represent the query for retrieving evidence documents: ",
			"Represent the document for retrieval: ",
		},
		{"Alibaba-NLP/gte-large-en-v1.5", "", ""},
		{"Alibaba-NLP/gte-modernbert-base", "", ""},
		{"Alibaba-NLP/gte-Qwen2-1.5B-instruct", "", ""},
		{"bge-small", prefix, ""},
		{"bge-small-en", prefix, ""},
		{"bge-small-en-v1.5:latest", prefix, ""},
		{"hf.co/CompendiumLabs/bge-small-en-v1.5-gguf:Q8_0", prefix, ""},
		{"BAAI/bge-small-en-v1.5", prefix, ""},
		{"text-embedding-bge-small-en-v1.5", prefix, ""},
		{"e5-small-v2", "query: ", "passage: "},
		{"intfloat/e5-small-v2", "query: ", "passage: "},
		{"hf.co/ChristianAzinn/e5-small-v2-gguf:Q4_K_M", "query: ", "passage: "},
		{"text-embedding-e5-small-v2", "query: ", "passage: "},
		{"mxbai-embed-large/another", "", ""},
		{"unheard-of", "", ""},
	}
	unknown := []string{"Alibaba-NLP/gte-Qwen2-1.5B-instruct", "mxbai-embed-large/another", "unheard-of"}
	for _, test := range tests {
		t.Run(test.model, func(t *testing.T) {
			t.Parallel()
			if _, _, known := model.Prompts(test.model); known == slices.Contains(unknown, test.model) {
				t.Errorf("the model is known: %t", known)
			}
			server, client := startModel(t, test.model)

			if _, err := client.EmbedQuery(t.Context(), " a query\n"); err != nil {
				t.Fatal(err)
			}
			if _, err := client.Embed(t.Context(), []string{"a text", "", "another"}); err != nil {
				t.Fatal(err)
			}
			if _, err := client.EmbedAsQueries(t.Context(), []string{"a question"}); err != nil {
				t.Fatal(err)
			}
			want := []string{
				test.query + "a query", test.document + "a text", test.document + "another", test.query + "a question",
			}
			if diff := cmp.Diff(want, server.Texts()); diff != "" {
				t.Errorf("embedded texts (-want +got):\n%s", diff)
			}
		})
	}
}

// Vectors of one build of a model are not comparable when its prompts have changed,
// as they do when a name becomes known.
func TestEmbedModel_ChangesWithThePrompts(t *testing.T) {
	t.Parallel()
	byPrompts := map[int]string{}
	for name, prompts := range map[string]string{
		"mxbai-embed-large": prefix, "bge-large": prefix, "snowflake-arctic-embed2": "query: ",
		"e5-large": "query: and passage: ", "nomic-embed-text": "search_query: and search_document: ",
		"bge-m3": "none", "unheard-of": "none",
	} {
		_, client := startModel(t, name)
		got, err := client.EmbedModel(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		want := model.Model{Name: name, Digest: "aaaa", Dimensions: 1024, PromptVersion: got.PromptVersion}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("model (-want +got):\n%s", diff)
		}
		if other, ok := byPrompts[got.PromptVersion]; ok && other != prompts {
			t.Errorf("%s has the version of the prompts %q, and its own are %q", name, other, prompts)
		}
		byPrompts[got.PromptVersion] = prompts
	}
	if len(byPrompts) != 5 {
		t.Errorf("got versions of prompts %v, want 5", byPrompts)
	}
}

// A smaller model's vectors get zeros, which changes no cosine. A larger one's are
// shortened by Ollama if it was trained for that.
func TestEmbed_TakesModelsOfAnyDimensions(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		model     string
		made, own int // components of the model, and of its vectors that are not added
	}{
		{"all-minilm", 384, 384}, {"nomic-embed-text", 768, 768}, {"mxbai-embed-large", 1024, 1024}, {"qwen3-embedding:4b", 2560, 1024},
	} {
		t.Run(test.model, func(t *testing.T) {
			t.Parallel()
			server, client := startModel(t, test.model)
			server.SetFaults(fakeollama.Faults{Dimensions: test.made})
			got, err := client.EmbedQuery(t.Context(), "a query")
			if err != nil {
				t.Fatal(err)
			}
			text := server.Texts()[0]
			want := append(fakeollama.Shortened(fakeollama.Vector(text, test.made), test.own), make([]float32, 1024-test.own)...)
			if diff := cmp.Diff(want, got.Vector, cmpopts.EquateApprox(0, 1e-6)); diff != "" {
				t.Errorf("vector (-want +got):\n%s", diff)
			}
		})
	}
}

func TestEmbed_RefusesAModelOfTooManyDimensions(t *testing.T) {
	t.Parallel()
	for _, embedder := range []string{"unheard-of", "qwen3-embedding"} {
		server, client := startModel(t, embedder)
		server.SetFaults(fakeollama.Faults{Dimensions: 2560, IgnoreDimensions: true})
		for name, call := range map[string]func() error{
			"passages": func() error { _, err := client.Embed(t.Context(), numbered(3)); return err },
			"query":    func() error { _, err := client.EmbedQuery(t.Context(), "a query"); return err },
			"warm":     func() error { return client.Warm(t.Context()) },
		} {
			server.Forget()
			err := call()
			if !errors.Is(err, model.ErrDimensions) {
				t.Errorf("%s: got %v, want ErrDimensions", name, err)
			}
			wantContains(t, err.Error(), embedder+" makes vectors of 2560 dimensions, and the index holds up to 1024",
				"set embedding_model in settings.json", "for qwen3-embedding, update Ollama")
			if requests := len(server.Requests("/api/embed")); requests != 1 {
				t.Errorf("%s: got %d requests, want 1: no retry helps", name, requests)
			}
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
	asType[*model.UnavailableError](t, client.Warm(t.Context()))
}
