package conformance

import (
	"bytes"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/compound-docs/compound-docs/db"
	"github.com/compound-docs/compound-docs/internal/project"
	"github.com/compound-docs/compound-docs/internal/workspace"
	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/rag/ollama"
	"github.com/compound-docs/compound-docs/test/fakeollama"
	"github.com/compound-docs/compound-docs/test/testenv"
	"github.com/compound-docs/compound-docs/tools"
)

func TestMain(m *testing.M) { os.Exit(testenv.Main(m)) }

// installed returns the folder of install.sh, and skips the test where there is none.
func installed(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("CDOCS_CONFORMANCE")
	if dir == "" {
		t.Skip("make conformance installs what this test needs, and runs it")
	}
	return dir
}

// run runs an installed program in the folder, with its Node.js if it has one.
func run(t *testing.T, stdin []byte, name string, arguments ...string) (stdout []byte, code int) {
	t.Helper()
	dir := installed(t)
	programs := filepath.Join(dir, "node_modules", ".bin")
	if path := filepath.Join(programs, name); exists(path) {
		name = path
	}
	command := exec.CommandContext(t.Context(), name, arguments...)
	command.Dir = dir
	command.Env = append(os.Environ(), "PATH="+programs+string(os.PathListSeparator)+os.Getenv("PATH"))
	command.Stdin = bytes.NewReader(stdin)
	var stderr bytes.Buffer
	command.Stderr = &stderr
	stdout, err := command.Output()
	if _, failed := errors.AsType[*exec.ExitError](err); err != nil && !failed {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("%s %q\nstdout: %s\nstderr: %s", name, arguments, stdout, stderr.Bytes())
		}
	})
	return stdout, command.ProcessState.ExitCode()
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// services are what a server on the demo project runs with.
type services struct {
	databaseURL, ollamaURL, root string
}

func startServices(t *testing.T) services {
	t.Helper()
	s := services{databaseURL: testenv.DatabaseURL(t), ollamaURL: fakeollama.Start(t).URL(), root: t.TempDir()}
	if err := os.CopyFS(s.root, os.DirFS(filepath.Join("..", "..", "examples", "demo-project"))); err != nil {
		t.Fatal(err)
	}
	return s
}

// environment is that of the real binary, started as Claude Code starts it.
func (s services) environment(t *testing.T) []string {
	t.Helper()
	return []string{
		"CDOCS_HOME=" + t.TempDir(), "CDOCS_LOG_LEVEL=error", "CLAUDE_PROJECT_DIR=" + s.root,
		"CDOCS_DATABASE_URL=" + s.databaseURL, "CDOCS_OLLAMA_HOST=" + s.ollamaURL,
	}
}

// serveHTTP mounts the server where the suite can reach it: it speaks HTTP alone.
func (s services) serveHTTP(t *testing.T, stateless bool) (url string) {
	t.Helper()
	logger := slog.New(slog.DiscardHandler)
	database := db.NewDatabase(s.databaseURL, logger)
	t.Cleanup(database.Close)
	models, err := ollama.New(ollama.Config{Hosts: []string{s.ollamaURL}, Logger: logger})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := models.Close(); err != nil {
			t.Error(err)
		}
	})
	active := workspace.New(rag.NewLibrary(database, models, models, logger), project.DefaultSettings(), s.root, logger)
	t.Cleanup(active.Close)
	server := tools.NewServer(active, "test", logger)
	mounted := httptest.NewServer(mcp.NewStreamableHTTPHandler(
		func(*http.Request) *mcp.Server { return server }, &mcp.StreamableHTTPOptions{Stateless: stateless},
	))
	t.Cleanup(mounted.Close)
	return mounted.URL
}

// buildServer builds the real binary.
func buildServer(t *testing.T) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "compound-docs")
	out, err := exec.CommandContext(t.Context(), "go", "build", "-o", path, "../../cmd/server").CombinedOutput()
	if err != nil {
		t.Fatalf("build the server: %v\n%s", err, out)
	}
	return path
}

// awaitIndex waits until the index of the demo project is whole, so that every
// later server starts with it.
func (s services) awaitIndex(t *testing.T, binary string) {
	t.Helper()
	command := exec.CommandContext(t.Context(), binary)
	command.Env = slices.Concat(os.Environ(), s.environment(t))
	client, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).
		Connect(t.Context(), &mcp.CommandTransport{Command: command}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for {
		result, err := client.CallTool(t.Context(), &mcp.CallToolParams{Name: "list_doc_types"})
		if err != nil || result.IsError {
			t.Fatalf("list_doc_types: %v %+v", err, result)
		}
		if answer, ok := result.StructuredContent.(map[string]any); ok && answer["index"] == nil {
			break
		}
	}
	if err := client.Close(); err != nil {
		t.Error(err)
	}
}
