package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"

	"github.com/compound-docs/compound-docs/internal/pgserver"
	"github.com/compound-docs/compound-docs/internal/plain"
	"github.com/compound-docs/compound-docs/internal/project"
)

// settleEmbedder keeps the model of --embedder, and says whether its server has it.
func (i *initializer) settleEmbedder(ctx context.Context, o options) error {
	if i.embedder != "" && i.embedder != o.settings.EmbeddingModel {
		if err := project.SaveSetting(o.home, "embedding_model", i.embedder); err != nil {
			return err
		}
		o.settings.EmbeddingModel = i.embedder
	}
	model := o.settings.EmbeddingModel
	i.done.EmbeddingModel = model
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
			text += ". " + server + " does not answer at " + state.Host + ": searches go by words alone until it does"
		case missing && s.embeddings.API == ollamaAPI:
			text += ". Ollama does not have it: searches go by words alone until compound-docs up pulls it"
		case missing:
			text += ". " + server + " does not list it: compound-docs doctor tries it"
		}
		plain.Println(i.stdout, plain.Hanging(i.stdout, len("  "), text))
		return nil
	})
}

// provideDatabase installs PostgreSQL with --yes, if it is missing. It does not start it.
func (i *initializer) provideDatabase(ctx context.Context, o options) error {
	if o.databaseURL != "" {
		return nil
	}
	server := pgserver.New(o.home, slog.New(slog.DiscardHandler))
	defer server.Close()
	state := server.State(ctx)
	problem, missing := errors.AsType[*pgserver.Error](state.Err)
	switch {
	case missing && problem.Installer != nil && !i.yes:
		return fmt.Errorf("there is no database: %w; or: compound-docs init --yes, which installs it", problem)
	case missing && problem.Installer != nil:
		plain.Println(i.stdout, "database: installing", problem.Installer.Description)
		input, _ := i.command.InOrStdin().(*os.File) // nil if nobody can be asked for a password
		if err := problem.Installer.Install(ctx, input, i.stderr); err != nil {
			return fmt.Errorf("there is no database: %w; by hand, %s", err, problem.Hint)
		}
		state = server.State(ctx)
	}
	switch {
	case state.Err != nil:
		return fmt.Errorf("there is no database: %w", state.Err)
	case state.PostgreSQL == "":
		plain.Printf(i.stdout, "database: a container, which the server starts with the first call\n")
	default:
		plain.Printf(i.stdout, "database: PostgreSQL %s with pgvector %s, which the server starts with the first call\n",
			state.PostgreSQL, state.Pgvector)
	}
	return nil
}
