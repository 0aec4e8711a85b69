package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/compound-docs/compound-docs/db"
	"github.com/compound-docs/compound-docs/internal/claude"
	"github.com/compound-docs/compound-docs/internal/doctor"
	"github.com/compound-docs/compound-docs/internal/pgserver"
	"github.com/compound-docs/compound-docs/internal/plain"
	"github.com/compound-docs/compound-docs/internal/project"
	"github.com/compound-docs/compound-docs/internal/workspace"
	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/rag/answer"
	"github.com/compound-docs/compound-docs/rag/index"
	"github.com/compound-docs/compound-docs/rag/model"
	"github.com/compound-docs/compound-docs/rag/ollama"
	"github.com/compound-docs/compound-docs/rag/openai"
	"github.com/compound-docs/compound-docs/tools"
)

// flags are the command line's; "" is a flag that was not given.
type flags struct {
	databaseURL, ollamaHost, logLevel, project string
}

// options are the program's settings, from flags, environment and file in this order.
type options struct {
	home        string
	databaseURL string // "" for the user's own server
	postgres    string // what that runs with, as [pgserver.Server] takes it
	ollamaHost  string
	// embeddings and answers name the servers of the two models.
	embeddings, answers project.ModelHost
	logLevel            slog.Level
	logLevelGiven       bool
	// contentLogLevel is for messages about documents and searches; nil means logLevel.
	contentLogLevel *slog.Level
	project         string // absolute, or "" for none
	settings        project.Settings
}

func (f *flags) resolve() (options, error) {
	home, err := homeFolder()
	if err != nil {
		return options{}, err
	}
	settings, err := project.LoadSettings(home)
	if err != nil {
		return options{}, err
	}
	return f.resolveWith(home, settings)
}

func homeFolder() (string, error) {
	if home := os.Getenv("CDOCS_HOME"); home != "" {
		return home, nil
	}
	return project.DefaultHome()
}

func (f *flags) resolveWith(home string, settings project.Settings) (o options, err error) {
	o = options{
		home:        home,
		databaseURL: cmp.Or(f.databaseURL, os.Getenv("CDOCS_DATABASE_URL"), settings.DatabaseURL),
		ollamaHost:  cmp.Or(f.ollamaHost, os.Getenv("CDOCS_OLLAMA_HOST"), settings.OllamaHost, ollama.DefaultHost),
		project:     cmp.Or(f.project, os.Getenv("CLAUDE_PROJECT_DIR")),
		settings:    settings,
	}
	o.embeddings = o.modelHost(settings.EmbeddingHost, "CDOCS_EMBEDDING_KEY")
	o.answers = o.modelHost(settings.GenerationHost, "CDOCS_GENERATION_KEY")
	if o.project != "" {
		if o.project, err = filepath.Abs(o.project); err != nil {
			return options{}, fmt.Errorf("resolve project: %w", err)
		}
	}
	if o.postgres = cmp.Or(os.Getenv("CDOCS_POSTGRES"), settings.Postgres); o.postgres != "" && o.postgres != pgserver.Container {
		if o.postgres, err = filepath.Abs(o.postgres); err != nil {
			return options{}, fmt.Errorf("resolve CDOCS_POSTGRES: %w", err)
		}
	}
	level := cmp.Or(f.logLevel, os.Getenv("CDOCS_LOG_LEVEL"), settings.LogLevel)
	o.logLevelGiven = level != ""
	level = cmp.Or(level, "info")
	if err := o.logLevel.UnmarshalText([]byte(level)); err != nil {
		return options{}, usagef("log level %q is none of debug, info, warn, error", level)
	}
	return o, nil
}

// modelHost returns the configured server, or Ollama. A variable may hold its key.
func (o options) modelHost(configured project.ModelHost, variable string) project.ModelHost {
	if configured.URL == "" {
		return project.ModelHost{API: ollamaAPI, URL: o.ollamaHost}
	}
	configured.Key = cmp.Or(os.Getenv(variable), configured.Key)
	return configured
}

// setup holds the parts of commands on the index. They connect when they are first used.
type setup struct {
	options
	invocation

	logger   *slog.Logger
	embedder *model.Client
	writer   *model.Client    // the embedder where one server has both models
	server   *pgserver.Server // nil where a URL names another
	database *db.Database
	index    *index.Index
	searcher *rag.Searcher
	answerer *answer.Answerer
}

// withSetup returns run as the function of a command on the index.
func withSetup(flags *flags, run func(s *setup) error) func(*cobra.Command, []string) error {
	return flags.run(func(i invocation) error {
		o, err := flags.resolve()
		if err != nil {
			return err
		}
		return i.withSetup(o, run)
	})
}

// withSetup calls run with the parts, and closes them.
func (i invocation) withSetup(o options, run func(s *setup) error) error {
	s, err := newSetup(o, i)
	if err != nil {
		return err
	}
	defer s.close()
	return run(s)
}

// newSetup returns the parts. They log to stderr.
func newSetup(o options, i invocation) (s *setup, err error) {
	if !o.logLevelGiven && plain.IsTerminal(i.stderr) {
		o.logLevel = max(o.logLevel, slog.LevelWarn) // people see what commands print
	}
	s = &setup{options: o, invocation: i, logger: newLogger(i.stderr, o.logLevel)}
	if s.embedder, err = s.newModelClient(o.embeddings); err != nil {
		return nil, usageError{err}
	}
	s.writer = s.embedder
	if o.answers != o.embeddings {
		if s.writer, err = s.newModelClient(o.answers); err != nil {
			return nil, usageError{err}
		}
	}
	if o.databaseURL == "" {
		s.server = newServer(o, s.logger)
	}
	s.database = db.NewDatabaseFrom(s.address, s.logger)
	if o.contentLogLevel != nil {
		s.logger = newLogger(i.stderr, *o.contentLogLevel)
	}
	s.index = index.New(s.database, s.embedder, s.logger)
	s.searcher = rag.NewSearcher(s.database, s.embedder)
	s.answerer = answer.New(s.database, s.searcher, s.writer, s.logger)
	return s, nil
}

// newServer returns the user's own PostgreSQL.
func newServer(o options, logger *slog.Logger) *pgserver.Server {
	server := pgserver.New(o.home, logger)
	server.Programs = o.postgres
	return server
}

func newLogger(w io.Writer, level slog.Level) *slog.Logger {
	if plain.IsTerminal(w) {
		w = overProgress{w}
	}
	return slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{Level: level}))
}

// address returns the URL of the database. The user's own server is started if it does not run.
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
	_ = s.embedder.Close() // always nil
	_ = s.writer.Close()
}

// tooling has the tools that a command calls.
type tooling struct {
	*setup

	root      string // of the project, "" for none
	workspace *workspace.Workspace
	tools     *tools.Handler
}

// withProject returns run as the function of a command on a project. As in a server, the first call
// activates it: its text is brought up to date for 15 seconds at most.
func withProject(flags *flags, run func(t *tooling) error) func(*cobra.Command, []string) error {
	return withTools(flags, findProject, run)
}

// withTools is withProject with a function that finds the project, or returns "" for none.
func withTools(
	flags *flags, find func(dir string) (string, error), run func(t *tooling) error,
) func(*cobra.Command, []string) error {
	return flags.run(func(i invocation) error {
		o, err := flags.resolve()
		if err != nil {
			return err
		}
		if !o.logLevelGiven {
			o.contentLogLevel = new(slog.LevelError) // the command itself prints the rest
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
			return run(&tooling{setup: s, root: root, workspace: w, tools: tools.NewHandler(w, s.home, s.logger)})
		})
	})
}

// errNoProject is the cause of an error outside a project.
var errNoProject = errors.New("no project found")

// findProject returns the nearest folder with a project's config, from dir upwards.
func findProject(dir string) (string, error) {
	start, err := filepath.Abs(dir)
	if err != nil {
		return "", fmt.Errorf("find project: %w", err)
	}
	if info, err := os.Stat(start); err != nil || !info.IsDir() {
		return "", usagef("%w: %s is not a folder; correct --project or CLAUDE_PROJECT_DIR", errNoProject, start)
	}
	for dir := start; ; dir = filepath.Dir(dir) {
		// A damaged entry counts too. The error of loading it says what is wrong.
		_, err := os.Lstat(filepath.Join(dir, project.ConfigDir, project.ConfigFile))
		switch {
		case err == nil, errors.Is(err, syscall.ENOTDIR):
			return dir, nil
		case !errors.Is(err, os.ErrNotExist) || dir == filepath.Dir(dir):
			return "", usagef("%w: %s and the folders above it have no %s/%s; %s",
				errNoProject, start, project.ConfigDir, project.ConfigFile, howToBegin(start))
		}
	}
}

// howToBegin says how a folder without a configuration gets one. Outside a repository it names no
// folder: that may be the user's home.
func howToBegin(folder string) string {
	if root, err := project.FindRoot(folder); err == nil && project.InRepository(root) {
		return "`compound-docs init " + claude.Quote(root) + "` prepares this repository"
	}
	return "go to a repository, or name one with --project; `compound-docs init DIR` prepares one"
}

// nameParent says if the project at root answers for a repository below it, which start is in.
func (i invocation) nameParent(start, root string) {
	repository, err := project.FindRoot(start)
	resolved, rootErr := filepath.EvalSymlinks(root)
	if err != nil || rootErr != nil || repository == resolved {
		return
	}
	name, err := project.NameAt(resolved)
	if err != nil {
		return // the command fails for the same reason
	}
	i.notef("answers are from the project %s in %s; to have one for this repository: compound-docs init %s",
		name, root, claude.Quote(repository))
}

// here returns the options, and the root of the project of the working directory or --project.
func (i invocation) here() (o options, root string, err error) {
	if o, err = i.flags.resolve(); err != nil {
		return o, "", err
	}
	if root, err = findProject(o.project); err != nil {
		return o, "", err
	}
	i.nameParent(o.project, root)
	return o, root, nil
}

// loadHere loads the project of [invocation.here].
func (i invocation) loadHere() (*project.Project, error) {
	o, root, err := i.here()
	if err != nil {
		return nil, err
	}
	return project.Load(root, o.settings.ExternalDocsAllowed...)
}

// noProject finds no project, for commands that need none.
func noProject(string) (string, error) { return "", nil }

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
