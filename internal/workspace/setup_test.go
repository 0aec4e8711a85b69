package workspace_test

import (
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"go.uber.org/goleak"

	"github.com/compound-docs/compound-docs/db"
	"github.com/compound-docs/compound-docs/internal/project"
	"github.com/compound-docs/compound-docs/internal/workspace"
	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/rag/answer"
	"github.com/compound-docs/compound-docs/rag/index"
	"github.com/compound-docs/compound-docs/rag/model"
	"github.com/compound-docs/compound-docs/rag/ollama"
	"github.com/compound-docs/compound-docs/test/await"
	"github.com/compound-docs/compound-docs/test/fakeollama"
	"github.com/compound-docs/compound-docs/test/gitrepo"
	"github.com/compound-docs/compound-docs/test/indexstate"
	"github.com/compound-docs/compound-docs/test/ragtest"
	"github.com/compound-docs/compound-docs/test/testenv"
)

// withServices runs the tests with what testenv provides.
type withServices struct{ m *testing.M }

func (w withServices) Run() int { return testenv.Main(w.m) }

func TestMain(m *testing.M) { goleak.VerifyTestMain(withServices{m}) }

// fixture is a repository with its index, for any number of servers.
type fixture struct {
	*gitrepo.Repo

	databaseURL string
	pool        *pgxpool.Pool
	fake        *fakeollama.Server
	reference   *reference // made when it is first needed
}

// debounce is short: these tests wait for real saves.
const debounce = 20 * time.Millisecond

func setup(t *testing.T, files map[string]string) *fixture {
	t.Helper()
	return setupOn(t, ragtest.IndexURL(t), files)
}

// setupOn is setup on a given database.
func setupOn(t *testing.T, databaseURL string, files map[string]string) *fixture {
	t.Helper()
	f := &fixture{Repo: gitrepo.New(t), databaseURL: databaseURL, fake: fakeollama.Start(t)}
	f.pool = indexstate.OpenPool(t, databaseURL)
	f.Put(".csharp-compounding-docs/config.json", `{"project_name": "test-project"}`)
	for name, content := range files {
		f.Put(name, content)
	}
	return f
}

// server is a new workspace on the fixture's index, like a window of an assistant.
func (f *fixture) server(t *testing.T) *workspace.Workspace {
	t.Helper()
	return f.serverWith(t, f.databaseURL, model.Config{Host: f.fake.URL(), RetryDelay: time.Millisecond})
}

// serverWith is server with its own way to the database and to Ollama.
func (f *fixture) serverWith(t *testing.T, databaseURL string, config model.Config) *workspace.Workspace {
	t.Helper()
	return f.start(t, databaseURL, config, "")
}

// serverFor is server, started for the project in dir.
func (f *fixture) serverFor(t *testing.T, dir string) *workspace.Workspace {
	t.Helper()
	return f.start(t, f.databaseURL, model.Config{Host: f.fake.URL(), RetryDelay: time.Millisecond}, dir)
}

func (f *fixture) start(t *testing.T, databaseURL string, config model.Config, projectDir string) *workspace.Workspace {
	t.Helper()
	logger := slog.New(slog.DiscardHandler)
	database := db.NewDatabase(testenv.Source(databaseURL), logger)
	models, err := ollama.New(config)
	f.Must(err)
	settings := project.DefaultSettings()
	settings.FileWatcher.DebounceMS = int(debounce.Milliseconds())
	searcher := rag.NewSearcher(database, models)
	s := workspace.New(index.New(database, models, logger), searcher, answer.New(database, searcher, models, logger), settings, projectDir, logger)
	t.Cleanup(func() {
		s.Close()
		database.Close()
		models.Close()
	})
	return s
}

func (f *fixture) configPath() string {
	return filepath.Join(f.Root, ".csharp-compounding-docs", "config.json")
}

// activate activates the project on branch and waits until it is synced and embedded.
func (f *fixture) activate(t *testing.T, s *workspace.Workspace, branch string) *workspace.Project {
	t.Helper()
	active, err := s.Activate(t.Context(), f.configPath(), branch)
	f.Must(err)
	active.WaitSynced(t.Context(), nil)
	eventually(t, "what has been indexed is embedded", func() bool {
		status := active.Status()
		return status.Embedding == 0 || status.Waiting != "" || status.EmbeddingWaits != ""
	})
	return active
}

// rows returns one column of text.
func (f *fixture) rows(t *testing.T, query string, args ...any) []string {
	t.Helper()
	values, err := indexstate.Lines(t.Context(), f.pool, query, args...)
	f.Must(err)
	return values
}

func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	await.Until(t, what, holds)
}

// problem is a valid document of the type problem with the given body.
func problem(title, body string) string {
	return "---\ntitle: " + title + "\ndate: 2026-01-02\nsummary: " + title + "\nsignificance: correctness\n" +
		"problem_type: bug\nsymptoms: [it fails]\nroot_cause: a mistake\nsolution: correct it\n---\n\n" + body + "\n"
}

// found returns the paths that a search for text gives.
func found(t *testing.T, s *workspace.Workspace, text string) []string {
	t.Helper()
	active, err := s.Active(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	hits, err := s.Searcher.Search(t.Context(), active.Compounding(), rag.Query{Text: text, Limit: 100})
	if err != nil {
		t.Fatal(err)
	}
	paths := []string{}
	for _, hit := range hits.Documents {
		paths = append(paths, hit.Path)
	}
	return paths
}
