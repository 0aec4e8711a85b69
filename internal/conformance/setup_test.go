package conformance

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/compound-docs/compound-docs/db"
	"github.com/compound-docs/compound-docs/internal/session"
	"github.com/compound-docs/compound-docs/internal/testenv"
	"github.com/compound-docs/compound-docs/project"
	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/rag/ollama"
	"github.com/compound-docs/compound-docs/tools"
)

func TestMain(m *testing.M) { os.Exit(testenv.Main(m)) }

// programs is the variable that names the folder of the installed programs.
const programs = "CDOCS_CONFORMANCE"

// program returns the path of an installed program, and skips the test where
// none is.
func program(t *testing.T, name string) string {
	t.Helper()
	dir := os.Getenv(programs)
	if dir == "" {
		t.Skip("make conformance installs what this test needs, and runs it")
	}
	return filepath.Join(dir, name)
}

// serveHTTP mounts the server, with the demo project, where the suite can reach
// it: it speaks HTTP alone.
func serveHTTP(t *testing.T, stateless bool) (url string) {
	t.Helper()
	logger := slog.New(slog.DiscardHandler)
	database := db.NewDatabase(testenv.DatabaseURL(t), logger)
	t.Cleanup(database.Close)
	models, err := ollama.New(ollama.Config{Hosts: []string{testenv.OllamaHost(t)}, Logger: logger})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := models.Close(); err != nil {
			t.Error(err)
		}
	})
	s := session.New(rag.NewLibrary(database, models, models, logger), project.DefaultSettings(), demoProject(t), logger)
	t.Cleanup(s.Close)
	server := tools.NewServer(s, "test", logger)
	mounted := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server },
		&mcp.StreamableHTTPOptions{Stateless: stateless}))
	t.Cleanup(mounted.Close)
	return mounted.URL
}

// demoProject returns a copy of the demo project, which tools may change.
func demoProject(t *testing.T) (root string) {
	t.Helper()
	root = t.TempDir()
	if err := os.CopyFS(root, os.DirFS(filepath.Join("..", "..", "examples", "demo-project"))); err != nil {
		t.Fatal(err)
	}
	return root
}
