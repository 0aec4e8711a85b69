// Package conformance tries the server with programs that others have written:
// the protocol's official conformance suite and the official TypeScript clients.
//
// "make conformance" installs them and runs its tests, which are skipped
// elsewhere. docs/conformance.md says which of its scenarios apply.
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
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/compound-docs/compound-docs/db"
	"github.com/compound-docs/compound-docs/internal/project"
	"github.com/compound-docs/compound-docs/internal/workspace"
	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/rag/answer"
	"github.com/compound-docs/compound-docs/rag/apierror"
	"github.com/compound-docs/compound-docs/rag/index"
	"github.com/compound-docs/compound-docs/rag/model"
	"github.com/compound-docs/compound-docs/rag/ollama"
	"github.com/compound-docs/compound-docs/test/fakeollama"
	"github.com/compound-docs/compound-docs/test/mcpclient"
	"github.com/compound-docs/compound-docs/test/testenv"
	"github.com/compound-docs/compound-docs/tools"
)

func TestMain(m *testing.M) { os.Exit(testenv.Main(m)) }

// installed returns the folder of install.sh. It skips the test if the folder does not exist.
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
	if path, err := exec.LookPath(filepath.Join(programs, name)); err == nil {
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

// install returns the program as Claude Code starts it, with a database, models, and
// a copy of the project that the examples of the tools are about.
func install(t *testing.T) mcpclient.Installation {
	t.Helper()
	root := t.TempDir()
	if err := os.CopyFS(root, os.DirFS("../../tools/testdata/project")); err != nil {
		t.Fatal(err)
	}
	return mcpclient.Installation{
		Program: testenv.Program(t), Root: root, Home: t.TempDir(),
		DatabaseURL: testenv.DatabaseURL(t), OllamaHost: fakeollama.Start(t).URL(),
		Environment: []string{"CDOCS_LOG_LEVEL=error", "CLAUDE_PROJECT_DIR=" + root},
	}
}

// serveHTTP serves over HTTP, the only transport of the suite.
func serveHTTP(t *testing.T, in mcpclient.Installation, stateless bool) (url string) {
	t.Helper()
	logger := slog.New(slog.DiscardHandler)
	database := db.NewDatabase(testenv.Source(in.DatabaseURL), logger)
	t.Cleanup(database.Close)
	models, err := ollama.New(model.Config{Host: in.OllamaHost, Logger: logger})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(models.Close)
	searcher := rag.NewSearcher(database, models)
	w := workspace.New(index.New(database, models, logger), searcher, answer.New(database, searcher, models, logger), project.DefaultSettings(), in.Root, logger)
	t.Cleanup(w.Close)
	server := tools.NewServer(tools.NewHandler(w, t.TempDir(), apierror.InMCP, logger), "", "test")
	mounted := httptest.NewServer(mcp.NewStreamableHTTPHandler(
		func(*http.Request) *mcp.Server { return server }, &mcp.StreamableHTTPOptions{Stateless: stateless},
	))
	t.Cleanup(mounted.Close)
	return mounted.URL
}

// installIndexed is install with a complete index of the project, so that every
// server starts with it.
func installIndexed(t *testing.T) mcpclient.Installation {
	t.Helper()
	in := install(t)
	client, err := mcpclient.Start(t.Context(), in.Command("serve"))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(client.Activate(t.Context(), in.Config(), "main"), client.Close()); err != nil {
		t.Fatal(err)
	}
	return in
}
