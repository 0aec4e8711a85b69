package main_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/compound-docs/compound-docs/test/gitrepo"
	"github.com/compound-docs/compound-docs/test/mcpclient"
	"github.com/compound-docs/compound-docs/test/testenv"
)

func TestMain(m *testing.M) { os.Exit(testenv.Main(m)) }

// server starts the real binary in a fresh environment.
func server(t *testing.T, environment ...string) *exec.Cmd {
	t.Helper()
	command := exec.Command(testenv.Program(t), "serve")
	command.Env = append([]string{"CDOCS_HOME=" + t.TempDir(), "PATH=" + os.Getenv("PATH")}, environment...)
	command.Stderr = t.Output() // shown with the test that failed
	return command
}

// away are addresses at which nothing listens.
func away() []string {
	return []string{
		"CDOCS_DATABASE_URL=postgres://nobody:s3cret@127.0.0.1:1/none?sslmode=disable",
		"CDOCS_OLLAMA_HOST=http://127.0.0.1:1",
	}
}

func connect(t *testing.T, command *exec.Cmd) *mcpclient.Client {
	t.Helper()
	session, err := mcpclient.Start(t.Context(), command)
	must(t, err)
	return session
}

// call calls a tool and decodes its answer, or its error.
func call(t *testing.T, session *mcpclient.Client, tool string, arguments map[string]any, out any) (isError bool) {
	t.Helper()
	text, isError, err := session.Answer(t.Context(), tool, arguments)
	must(t, err)
	if err := json.Unmarshal([]byte(text), out); err != nil {
		t.Fatalf("%s: %v in %s", tool, err, text)
	}
	return isError
}

type toolError struct {
	Error   bool           `json:"error"`
	Code    string         `json:"code"`
	Message string         `json:"message"`
	Details map[string]any `json:"details"`
}

const configPath = ".csharp-compounding-docs/config.json"

// newProject makes a repository with the given files, and a config unless they
// have one.
func newProject(t *testing.T, files map[string]string) (root string) {
	t.Helper()
	root = t.TempDir()
	write(t, root, configPath, `{"project_name": "test-project"}`)
	for name, content := range files {
		write(t, root, name, content)
	}
	return root
}

func write(t *testing.T, root, name, content string) {
	t.Helper()
	gitrepo.At(t, root).Put(name, content)
}

func activation(root string) map[string]any {
	return map[string]any{
		"config_path": filepath.Join(root, ".csharp-compounding-docs", "config.json"), "branch_name": "main",
	}
}
