package ollama

import (
	"hash/fnv"
	"strings"
)

// prompts are what a model was trained to see before a text, "" for nothing.
type prompts struct{ query, document string }

const (
	// searching is the prompt of several families for a query.
	searching = "Represent this sentence for searching relevant passages: "
	// webSearch is the instruction that the families with instructions were measured
	// with in retrieval.
	webSearch = "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery:"
)

// knownPrompts are those of model families, by a part of the model's name. The first
// that fits holds, so the special stands before the general. docs/configuration.md
// has the same list, with the dimensions.
//
//nolint:gochecknoglobals // a table
var knownPrompts = []struct {
	name string
	prompts
}{
	// https://huggingface.co/mixedbread-ai/mxbai-embed-large-v1
	{"mxbai-embed-large", prompts{query: searching}},
	// Version 2 has another prompt: https://huggingface.co/Snowflake/snowflake-arctic-embed-l-v2.0
	{"arctic-embed2", prompts{query: "query: "}},
	{"arctic-embed-l-v2", prompts{query: "query: "}},
	// https://github.com/Snowflake-Labs/arctic-embed
	{"arctic-embed", prompts{query: searching}},
	// https://huggingface.co/nomic-ai/nomic-embed-text-v1.5
	{"nomic-embed-text", prompts{query: "search_query: ", document: "search_document: "}},
	// No instructions: https://github.com/FlagOpen/FlagEmbedding/tree/master/research/BGE_M3
	{"bge-m3", prompts{}},
	// https://huggingface.co/BAAI/bge-large-en-v1.5 lists both languages.
	{"bge-large-zh", prompts{query: "为这个句子生成表示以用于检索相关文章："}},
	{"bge-large", prompts{query: searching}},
	// https://huggingface.co/intfloat/multilingual-e5-large-instruct
	{"e5-large-instruct", prompts{query: webSearch + " "}},
	// https://huggingface.co/intfloat/multilingual-e5-large
	{"e5-large", prompts{query: "query: ", document: "passage: "}},
	// https://github.com/QwenLM/Qwen3-Embedding
	{"qwen3-embedding", prompts{query: webSearch}},
	// https://ai.google.dev/gemma/docs/embeddinggemma/model_card
	{"embeddinggemma", prompts{query: "task: search result | query: ", document: "title: none | text: "}},
	// None: https://www.ibm.com/granite/docs/models/embedding
	{"granite-embedding", prompts{}},
}

// promptsOf returns the prompts of the model, none if it is unknown. Registry, owner,
// tag and case of the name do not matter.
func promptsOf(model string) prompts {
	name, _, _ := strings.Cut(model[strings.LastIndex(model, "/")+1:], ":")
	name = strings.ToLower(name)
	for _, known := range knownPrompts {
		if strings.Contains(name, known.name) {
			return known.prompts
		}
	}
	return prompts{}
}

// version is a positive number that changes with the prompts.
func (p prompts) version() int {
	hash := fnv.New32a()
	_, _ = hash.Write([]byte(p.query + "\x00" + p.document)) // never fails
	return int(hash.Sum32() >> 1)
}
