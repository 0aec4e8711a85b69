package model_test

import (
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/rag/model"
)

const (
	prefix = "Represent this sentence for searching relevant passages: "
	web    = "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery:"
)

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
		query, document, known := model.Prompts(test.model)
		if query != test.query || document != test.document || known == slices.Contains(unknown, test.model) {
			t.Errorf("%s: got %q, %q, known: %t, want %q, %q", test.model, query, document, known, test.query, test.document)
		}
	}
}

// A text is sent after the prompt of its kind.
func TestPrompts_StandBeforeTheTexts(t *testing.T) {
	t.Parallel()
	server := &fake{}
	client := withConfig(server, model.Config{EmbedModel: "nomic-embed-text"})
	_, queryErr := client.EmbedQuery(t.Context(), " a query\n")
	_, textErr := client.Embed(t.Context(), []string{"a text", "", "another"})
	_, questionErr := client.EmbedAsQueries(t.Context(), []string{"a question"})
	if err := errors.Join(queryErr, textErr, questionErr, client.Warm(t.Context()), client.Warm(t.Context())); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"search_query: a query", "search_document: a text", "search_document: another", "search_query: a question",
		"search_query: warm", "search_query: warm", // it is not remembered
	}
	if diff := cmp.Diff(want, server.texts()); diff != "" {
		t.Errorf("embedded texts (-want +got):\n%s", diff)
	}
}

// Vectors of one build of a model are not comparable when its prompts have changed, as they do when a name
// becomes known. The build is asked for again after 5 seconds.
func TestEmbedModel(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		versions := map[int]string{}
		for name, prompts := range map[string]string{
			"mxbai-embed-large": prefix, "bge-large": prefix, "snowflake-arctic-embed2": "query: ",
			"e5-large": "query: and passage: ", "nomic-embed-text": "search_query: and search_document: ",
			"bge-m3": "none", "unheard-of": "none",
		} {
			server := &fake{digest: "aaaa"}
			client := withConfig(server, model.Config{EmbedModel: name})
			for asked := range 3 {
				got, err := client.EmbedModel(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				want := model.Model{Name: name, Digest: "aaaa", Dimensions: 1024, PromptVersion: got.PromptVersion}
				if got != want || server.digests != max(asked, 1) {
					t.Errorf("got %+v after %d requests, want %+v", got, server.digests, want)
				}
				if other, ok := versions[got.PromptVersion]; ok && other != prompts {
					t.Errorf("%s has the version of the prompts %q, and its own are %q", name, other, prompts)
				}
				versions[got.PromptVersion] = prompts
				time.Sleep(time.Duration(asked) * 6 * time.Second)
			}
		}
		if len(versions) != 5 {
			t.Errorf("got versions of prompts %v, want 5", versions)
		}
	})
}
