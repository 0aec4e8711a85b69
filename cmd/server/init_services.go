package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"slices"

	"github.com/compound-docs/compound-docs/internal/plain"
	"github.com/compound-docs/compound-docs/internal/project"
)

// settleEmbedder saves the model of --embedder in the settings, and says whether the model server has the model.
func (i *initializer) settleEmbedder(ctx context.Context, o options) error {
	if i.embedder != "" && i.embedder != o.settings.EmbeddingModel {
		if err := project.SaveSetting(o.home, "embedding_model", i.embedder); err != nil {
			return err
		}
		o.settings.EmbeddingModel = i.embedder
	}
	model := o.settings.EmbeddingModel
	silent := i.invocation
	silent.stderr = io.Discard
	return silent.withSetup(o, func(s *setup) error {
		text := "vectors: " + model + " makes them"
		state := s.embedder.State(ctx, model)
		missing := slices.Contains(state.Missing, model)
		server := "The model server"
		if s.embeddings.API == ollamaAPI {
			server = "Ollama"
		}
		switch {
		case state.Err != nil:
			text += ". " + server + " does not answer at " + state.Host + ": searches go by words and built-in vectors until it does"
		case missing && s.embeddings.API == ollamaAPI:
			text += ". Ollama does not have it: searches go by words and built-in vectors until compound-docs up pulls it"
		case missing:
			text += ". " + server + " does not list it: compound-docs doctor tries it"
		}
		plain.Println(i.stdout, text)
		return nil
	})
}

// provideDatabase says which private database the server will start, or fails if it cannot. It prints nothing if a
// database URL is set.
func (i *initializer) provideDatabase(ctx context.Context, o options) error {
	if o.databaseURL != "" {
		return nil
	}
	server := newServer(o, slog.New(slog.DiscardHandler))
	defer server.Close()
	state := server.State(ctx)
	if state.Err != nil {
		return fmt.Errorf("there is no database: %w", state.Err)
	}
	plain.Printf(i.stdout, "database: PostgreSQL %s with pgvector %s, which the server starts with the first call\n",
		state.PostgreSQL, state.Pgvector)
	return nil
}
