package model

import (
	"hash/fnv"
	"slices"
	"strings"
)

const (
	// searching is the prompt that several model families want before a query.
	searching        = "Represent this sentence for searching relevant passages: "
	searchingChinese = "为这个句子生成表示以用于检索相关文章："
	// webSearch is the prompt of two families before a query. Both families were measured with this instruction.
	webSearch = "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery:"
)

// embedder describes an embedding model that is known by its name.
type embedder struct {
	query, document string // prompts that it was trained to see before a text, "" for none
	// shortens says that a vector's first components are a shorter vector (Matryoshka representation learning).
	shortens bool
}

// knownEmbedders are model families, by parts of the model's name. The first match counts, so special names come before
// general names. docs/configuration.md lists the names.
//
//nolint:gochecknoglobals // a table
var knownEmbedders = []struct {
	names []string
	embedder
}{
	// https://huggingface.co/mixedbread-ai/mxbai-embed-large-v1
	{[]string{"mxbai-embed-large"}, embedder{query: searching}},
	// Version 2 has another prompt: https://huggingface.co/Snowflake/snowflake-arctic-embed-l-v2.0
	{[]string{"arctic-embed2", "arctic-embed-l-v2", "arctic-embed-m-v2"}, embedder{query: "query: "}},
	// https://github.com/Snowflake-Labs/arctic-embed
	{[]string{"arctic-embed"}, embedder{query: searching}},
	// https://huggingface.co/nomic-ai/nomic-embed-text-v1.5
	{[]string{"nomic-embed-text"}, embedder{query: "search_query: ", document: "search_document: "}},
	// No prompts: https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2 and
	// https://github.com/FlagOpen/FlagEmbedding/tree/master/research/BGE_M3
	{[]string{"all-minilm", "bge-m3"}, embedder{}},
	// https://huggingface.co/BAAI/bge-large-en-v1.5 lists all sizes, in both languages.
	{[]string{"bge-large-zh", "bge-base-zh", "bge-small-zh"}, embedder{query: searchingChinese}},
	{[]string{"bge-large", "bge-base", "bge-small"}, embedder{query: searching}},
	// https://huggingface.co/intfloat/multilingual-e5-large-instruct
	{[]string{"e5-large-instruct"}, embedder{query: webSearch + " "}},
	// https://huggingface.co/intfloat/multilingual-e5-large
	{[]string{"e5-large", "e5-base", "e5-small"}, embedder{query: "query: ", document: "passage: "}},
	// https://github.com/QwenLM/Qwen3-Embedding: from 32 to 4,096 dimensions, as a request asks.
	{[]string{"qwen3-embedding"}, embedder{query: webSearch, shortens: true}},
	// https://ai.google.dev/gemma/docs/embeddinggemma/model_card
	{[]string{"embeddinggemma"}, embedder{query: "task: search result | query: ", document: "title: none | text: "}},
	// No prompts: https://www.ibm.com/granite/docs/models/embedding
	{[]string{"granite-embedding"}, embedder{}},
	// No prompts: https://huggingface.co/thenlper/gte-large, https://huggingface.co/Alibaba-NLP/gte-large-en-v1.5,
	// https://huggingface.co/Alibaba-NLP/gte-multilingual-base, https://huggingface.co/Alibaba-NLP/gte-modernbert-base and
	// https://huggingface.co/jinaai/jina-embeddings-v2-base-en. gte-Qwen2 is not listed, because its vectors are too long
	// for the index: https://huggingface.co/Alibaba-NLP/gte-Qwen2-7B-instruct
	{[]string{"gte-large", "gte-base", "gte-small", "gte-multilingual", "gte-modernbert", "jina-embeddings-v2"}, embedder{}},
	// https://huggingface.co/jinaai/jina-embeddings-v3: the prompts of its retrieval tasks
	{[]string{"jina-embeddings-v3"}, embedder{
		"Represent the query for retrieving evidence documents: ", "Represent the document for retrieval: ", true,
	}},
}

// Prompts returns the prompts that the model gets before a query and before a document, "" for none. It returns false
// for an unknown model.
func Prompts(model string) (query, document string, known bool) {
	e, known := embedderOf(model)
	return e.query, e.document, known
}

// embedderOf returns the entry of a model. Registry, owner, tag and case of the name do not matter.
func embedderOf(model string) (e embedder, known bool) {
	name, _, _ := strings.Cut(model[strings.LastIndex(model, "/")+1:], ":")
	name = strings.ToLower(name)
	for _, known := range knownEmbedders {
		if slices.ContainsFunc(known.names, func(part string) bool { return strings.Contains(name, part) }) {
			return known.embedder, true
		}
	}
	return embedder{}, false
}

// version returns a positive number that changes with the prompts.
func (e embedder) version() int {
	hash := fnv.New32a()
	_, _ = hash.Write([]byte(e.query + "\x00" + e.document)) // never fails
	return int(hash.Sum32() >> 1)
}
