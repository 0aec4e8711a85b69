package main

import (
	"context"

	"github.com/compound-docs/compound-docs/internal/doctor"
	"github.com/compound-docs/compound-docs/internal/project"
	"github.com/compound-docs/compound-docs/rag/model"
	"github.com/compound-docs/compound-docs/rag/ollama"
	"github.com/compound-docs/compound-docs/rag/openai"
)

// ollamaAPI is the API of [project.ModelHost] that Ollama has.
const ollamaAPI = "ollama"

func (s *setup) newModelClient(host project.ModelHost) (*model.Client, error) {
	cfg := model.Config{
		Host: host.URL, Key: host.Key, Logger: s.logger, EmbedModel: s.settings.EmbeddingModel,
		ChatModel: s.settings.GenerationModel, NumCtx: s.settings.GenerationContextLength,
	}
	if host.API == ollamaAPI {
		return ollama.New(cfg)
	}
	return openai.New(cfg, func(ctx context.Context, name string) ([]string, error) { return s.index.ModelDigests(ctx, name) })
}

// modelServers returns the servers with their models. The first makes the vectors.
func (s *setup) modelServers() []doctor.ModelServer {
	embeds := doctor.ModelServer{
		Client: s.embedder, Models: []string{s.settings.EmbeddingModel}, Ollama: s.embeddings.API == ollamaAPI,
	}
	if s.writer == s.embedder {
		embeds.Models = append(embeds.Models, s.settings.GenerationModel)
		return []doctor.ModelServer{embeds}
	}
	return []doctor.ModelServer{embeds, {
		Client: s.writer, Models: []string{s.settings.GenerationModel}, Ollama: s.answers.API == ollamaAPI,
	}}
}
