package containers_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/compound-docs/compound-docs/test/testenv"
)

// program builds the server once for all tests.
var program = sync.OnceValues(func() (path string, err error) {
	folder, err := os.MkdirTemp("", "compound-docs-containers-")
	if err != nil {
		return "", err
	}
	path = filepath.Join(folder, "compound-docs")
	out, err := exec.Command("go", "build", "-o", path, "../../cmd/server").CombinedOutput()
	if err != nil {
		return "", &buildError{out: string(out), err: err}
	}
	return path, nil
})

type buildError struct {
	out string
	err error
}

func (e *buildError) Error() string { return e.err.Error() + "\n" + e.out }

// installation is the program with a project and services.
type installation struct {
	root                    string
	databaseURL, ollamaHost string
}

// installDemo returns one with a copy of the demo project.
func installDemo(t *testing.T, databaseURL, ollamaHost string) installation {
	t.Helper()
	in := installation{root: t.TempDir(), databaseURL: databaseURL, ollamaHost: ollamaHost}
	if err := os.CopyFS(in.root, os.DirFS("../../examples/demo-project")); err != nil {
		t.Fatal(err)
	}
	return in
}

// install returns one with a project of two documents, on services in containers
// of its own.
func install(t *testing.T) (installation, *testenv.Containers) {
	t.Helper()
	containers := testenv.StartContainers(t)
	in := installation{root: t.TempDir(), databaseURL: containers.DatabaseURL, ollamaHost: containers.OllamaHost}
	for _, folder := range []string{".csharp-compounding-docs", "csharp-compounding-docs/insights"} {
		if err := os.MkdirAll(filepath.Join(in.root, folder), 0o750); err != nil {
			t.Fatal(err)
		}
	}
	config := filepath.Join(in.root, ".csharp-compounding-docs", "config.json")
	if err := os.WriteFile(config, []byte(`{"project_name": "contained"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	in.save(t, "badger")
	in.save(t, "heron")
	return in, containers
}

func (in installation) command(t *testing.T, arguments ...string) *exec.Cmd {
	t.Helper()
	path, err := program()
	if err != nil {
		t.Fatal(err)
	}
	command := exec.CommandContext(t.Context(), path, arguments...)
	command.Dir = in.root
	command.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "CDOCS_HOME=" + t.TempDir(),
		"CDOCS_DATABASE_URL=" + in.databaseURL, "CDOCS_OLLAMA_HOST=" + in.ollamaHost, "CDOCS_LOG_LEVEL=warn",
	}
	command.Stderr = testWriter{t}
	return command
}

// testWriter shows a program's log with the test that failed.
type testWriter struct{ t *testing.T }

func (w testWriter) Write(p []byte) (int, error) {
	w.t.Logf("%s", bytes.TrimSpace(p))
	return len(p), nil
}

// server is a running server with its client.
type server struct {
	t       *testing.T
	session *mcp.ClientSession
}

func (in installation) serve(t *testing.T) server {
	t.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "containers", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &mcp.CommandTransport{Command: in.command(t, "serve")}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := session.Close(); err != nil && t.Context().Err() == nil {
			t.Error("close the server:", err)
		}
	})
	return server{t: t, session: session}
}

// call calls a tool and returns the text of its answer.
func (s server) call(tool string, arguments map[string]any) (text string, isError bool) {
	s.t.Helper()
	result, err := s.session.CallTool(s.t.Context(), &mcp.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		s.t.Fatalf("call %s: %v", tool, err)
	}
	content, ok := result.Content[0].(*mcp.TextContent)
	if !ok {
		s.t.Fatalf("call %s: no text in the answer", tool)
	}
	return content.Text, result.IsError
}

// must calls a tool that succeeds, and decodes its answer.
func (s server) must(tool string, arguments map[string]any, answer any) {
	s.t.Helper()
	text, isError := s.call(tool, arguments)
	if isError {
		s.t.Fatalf("%s answers %s", tool, text)
	}
	if err := json.Unmarshal([]byte(text), answer); err != nil {
		s.t.Fatalf("%s: %v in %s", tool, err, text)
	}
}

// failure is the error of a tool.
type failure struct {
	Code    string         `json:"code"`
	Message string         `json:"message"`
	Details map[string]any `json:"details"`
}

// fails calls a tool that does not succeed.
func (s server) fails(tool string, arguments map[string]any) (f failure) {
	s.t.Helper()
	text, isError := s.call(tool, arguments)
	if !isError {
		s.t.Fatalf("%s answers %s, want an error", tool, text)
	}
	if err := json.Unmarshal([]byte(text), &f); err != nil {
		s.t.Fatalf("%s: %v in %s", tool, err, text)
	}
	return f
}

// activate activates the project, until its index is whole.
func (s server) activate(in installation) {
	s.t.Helper()
	for {
		var answer struct{ Index *json.RawMessage }
		s.must("activate_project", map[string]any{
			"config_path": filepath.Join(in.root, ".csharp-compounding-docs", "config.json"), "branch_name": "main",
		}, &answer)
		if answer.Index == nil {
			return
		}
		if s.t.Context().Err() != nil {
			s.t.Fatalf("the index stays behind: %s", *answer.Index)
		}
	}
}

// finds returns the paths of what a search finds, the best first.
func (s server) finds(query string) []string {
	s.t.Helper()
	var answer struct{ Results []struct{ Path string } }
	s.must("semantic_search", map[string]any{"query": query, "min_relevance_score": 0.0, "limit": 3}, &answer)
	paths := make([]string, len(answer.Results))
	for i, result := range answer.Results {
		paths[i] = result.Path
	}
	return paths
}

// save writes a document about one word into the project, and returns its path.
func (in installation) save(t *testing.T, word string) (path string) {
	t.Helper()
	path = "csharp-compounding-docs/insights/" + word + ".md"
	content := strings.ReplaceAll(`---
title: About WORD
date: 2026-01-15
summary: What we know about WORD
significance: behavioral
insight_type: business_logic
impact_area: WORD
---

Everything WORD: WORD, and WORD again.
`, "WORD", word)
	if err := os.WriteFile(filepath.Join(in.root, path), []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return "./" + path
}
