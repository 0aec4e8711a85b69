package main

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"os"
	"runtime/debug"
	"time"

	"github.com/spf13/cobra"

	"github.com/compound-docs/compound-docs/db"
	"github.com/compound-docs/compound-docs/internal/plain"
	"github.com/compound-docs/compound-docs/internal/project"
	"github.com/compound-docs/compound-docs/internal/setup/doctor"
	"github.com/compound-docs/compound-docs/internal/setup/pgserver"
	"github.com/compound-docs/compound-docs/internal/workspace"
	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/rag/answer"
	"github.com/compound-docs/compound-docs/rag/index"
	"github.com/compound-docs/compound-docs/rag/model"
	"github.com/compound-docs/compound-docs/rag/ollama"
	"github.com/compound-docs/compound-docs/rag/openai"
	"github.com/compound-docs/compound-docs/tools"
)

// setup holds the parts of the program that commands on the index use. A part connects at its first use.
type setup struct {
	options
	invocation

	logger   *slog.Logger
	embedder *model.Client
	writer   *model.Client    // writes answers; equal to embedder if one server has both models
	server   *pgserver.Server // the private database; nil if a URL names another database
	database *db.Database
	index    *index.Index
	searcher *rag.Searcher
	answerer *answer.Answerer
}

// withSetup returns a function for cobra that calls run with a setup. It is for commands on the index.
func withSetup(flags *flags, run func(s *setup) error) func(*cobra.Command, []string) error {
	return flags.run(func(i invocation) error {
		o, err := flags.resolve()
		if err != nil {
			return err
		}
		return i.withSetup(o, run)
	})
}

// withSetup makes a setup, calls the function run with it, and closes the setup.
func (i invocation) withSetup(o options, run func(s *setup) error) error {
	s, err := newSetup(o, i)
	if err != nil {
		return err
	}
	defer s.close()
	return run(s)
}

// newSetup makes the parts, which log to stderr. The caller must close them with close.
func newSetup(o options, i invocation) (*setup, error) {
	if !o.logLevelGiven && plain.IsTerminal(i.stderr) {
		o.logLevel = max(o.logLevel, slog.LevelWarn) // lines of level info would disturb people
	}
	logger := slog.New(slog.NewTextHandler(i.stderr, &slog.HandlerOptions{Level: o.logLevel}))
	s := &setup{options: o, invocation: i, logger: logger}
	var embedErr, writeErr error
	s.embedder, embedErr = s.newModelClient(o.embeddings)
	s.writer = s.embedder
	if o.answers != o.embeddings {
		s.writer, writeErr = s.newModelClient(o.answers)
	}
	if err := cmp.Or(embedErr, writeErr); err != nil {
		return nil, usageError{err}
	}
	if o.databaseURL == "" {
		s.server = pgserver.New(o.home, s.logger)
		s.server.Programs = o.postgres
	}
	s.database = db.NewDatabase(s.address, s.logger)
	s.index = index.New(s.database, s.embedder, s.logger)
	s.searcher = rag.NewSearcher(s.database, s.embedder)
	s.answerer = answer.New(s.database, s.searcher, s.writer, s.logger)
	return s, nil
}

// address returns the URL of the database. If no URL is configured, it starts the private database if necessary.
func (s *setup) address(ctx context.Context) (string, error) {
	if s.server == nil {
		return s.databaseURL, nil
	}
	const op = "start PostgreSQL"
	url, err := s.server.URL(ctx)
	if problem, ok := errors.AsType[*pgserver.Error](err); ok {
		return "", &db.Error{Op: op, Kind: db.KindSetup, Hint: problem.Hint, Err: problem.Err}
	}
	return url, db.Wrap(op, err)
}

func (s *setup) close() {
	if s.server != nil {
		s.server.Close()
	}
	s.database.Close()
	s.embedder.Close()
	s.writer.Close()
}

// tooling is a setup with a workspace and the MCP tools, for commands that call tools.
type tooling struct {
	*setup

	workspace *workspace.Workspace
	tools     *tools.Handler
}

// withProject returns a function for cobra that calls run. As in a server, the first tool call activates the project.
func withProject(flags *flags, run func(t *tooling) error) func(*cobra.Command, []string) error {
	return withTools(flags, findProject, run)
}

// withTools is like withProject, but the project comes from find, which returns "" if the command needs no project.
func withTools(
	flags *flags, find func(dir string) (string, error), run func(t *tooling) error,
) func(*cobra.Command, []string) error {
	return flags.run(func(i invocation) error {
		o, err := flags.resolve()
		if err != nil {
			return err
		}
		if !o.logLevelGiven {
			o.logLevel = slog.LevelError // the command itself prints everything else
		}
		root, err := find(o.project)
		if err != nil {
			return err
		}
		if root != "" {
			i.nameParent(o.project, root)
		}
		return i.withSetup(o, func(s *setup) error {
			w := workspace.New(s.index, s.searcher, s.answerer, s.settings, root, s.logger)
			defer w.Close()
			handler := tools.NewHandler(w, s.home, wordsOf(i.command), s.logger)
			return run(&tooling{setup: s, workspace: w, tools: handler})
		})
	})
}

// endsSoon prepares for a command that ends after one question: the workspace watches no files, and garbage is
// collected only near softMemoryLimit.
func (t *tooling) endsSoon() {
	t.workspace.Once()
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(-1)
	}
}

const ollamaAPI = "ollama"

// providers maps the API of a [project.ModelHost] to the function that makes its client. The schema of settings.json
// allows no other API.
var providers = map[string]func(model.Config) (*model.Client, error){ollamaAPI: ollama.New, "openai": openai.New}

func (s *setup) newModelClient(host project.ModelHost) (*model.Client, error) {
	cfg := model.Config{
		Host: host.URL, Key: host.Key, Logger: s.logger, EmbedModel: s.settings.EmbeddingModel,
		ChatModel: s.settings.GenerationModel, NumCtx: s.settings.GenerationContextLength,
		FirstPiece: time.Duration(s.settings.GenerationWaitSeconds) * time.Second,
	}
	return providers[host.API](cfg)
}

// modelServers returns the model servers, one or two. The first makes the vectors, and the last writes the answers.
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
