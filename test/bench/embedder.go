package main

import (
	"context"

	"github.com/compound-docs/compound-docs/db"
	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/rag/ollama"
)

// embedder makes vectors in this process, for what is measured without Ollama:
// a vector takes some 50 µs, and crosses no HTTP.
type embedder struct {
	space *space
	// queries have their vectors here; others, like documents, have one of their
	// text.
	queries map[string][]float32
}

// model is what the embedder says that it is.
var model = ollama.Model{
	Name: "bench", Digest: "bench", Dimensions: dimensions, PromptVersion: ollama.PromptVersion,
}

func (e *embedder) Embed(_ context.Context, texts []string) ([]ollama.Embedding, error) {
	embeddings := make([]ollama.Embedding, len(texts))
	for i, text := range texts {
		embeddings[i] = made(e.space.ofText(text))
	}
	return embeddings, nil
}

func (e *embedder) EmbedQuery(_ context.Context, query string) (ollama.Embedding, error) {
	if vector, ok := e.queries[query]; ok {
		return made(vector), nil
	}
	return made(e.space.ofText(query)), nil
}

func made(vector []float32) ollama.Embedding {
	return ollama.Embedding{Vector: vector, Digest: model.Digest}
}

func (*embedder) EmbedModel(context.Context) (ollama.Model, error) { return model, nil }

func (*embedder) FreshModel(context.Context) (ollama.Model, error) { return model, nil }

// library is the index over a database with this embedder, and no language model.
func (e *environment) library(database *db.Database, models *embedder) *rag.Library {
	return rag.NewLibrary(database, models, nil, e.logger)
}
