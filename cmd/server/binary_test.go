package main_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/compound-docs/compound-docs/test/mcpclient"
	"github.com/compound-docs/compound-docs/test/testenv"
)

func TestMain(m *testing.M) { os.Exit(testenv.Main(m)) }

// server starts the real binary with an environment of its own.
func server(t *testing.T, environment ...string) *exec.Cmd {
	t.Helper()
	command := exec.Command(mcpclient.Build(t), "serve")
	command.Env = append([]string{"CDOCS_HOME=" + t.TempDir(), "PATH=" + os.Getenv("PATH")}, environment...)
	command.Stderr = testWriter{t}
	return command
}

// testWriter shows the server's log with the test that failed.
type testWriter struct{ t *testing.T }

func (w testWriter) Write(p []byte) (int, error) {
	w.t.Logf("%s", bytes.TrimSpace(p))
	return len(p), nil
}

// away are addresses at which nothing listens.
func away() []string {
	return []string{
		"CDOCS_DATABASE_URL=postgres://nobody:s3cret@127.0.0.1:1/none?sslmode=disable",
		"CDOCS_OLLAMA_HOST=http://127.0.0.1:1",
	}
}

func connect(t *testing.T, command *exec.Cmd) *mcp.ClientSession {
	t.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &mcp.CommandTransport{Command: command}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return session
}

// call calls a tool and decodes its answer, or its error.
func call(t *testing.T, session *mcp.ClientSession, tool string, arguments map[string]any, out any) (isError bool) {
	t.Helper()
	result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		t.Fatalf("%s: %v", tool, err)
	}
	text, ok := result.Content[0].(*mcp.TextContent)
	if !ok {
		t.Fatalf("%s: no text", tool)
	}
	if err := json.Unmarshal([]byte(text.Text), out); err != nil {
		t.Fatalf("%s: %v in %s", tool, err, text.Text)
	}
	return result.IsError
}

type toolError struct {
	Error   bool           `json:"error"`
	Code    string         `json:"code"`
	Message string         `json:"message"`
	Details map[string]any `json:"details"`
}

func TestServe_HandshakeWithEverythingAway(t *testing.T) {
	t.Parallel()
	session := connect(t, server(t, away()...))
	result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "ping"})
	if err != nil {
		t.Fatal(err)
	}
	if text, ok := result.Content[0].(*mcp.TextContent); !ok || text.Text != "pong: ping" {
		t.Errorf("ping answers %v", result.Content)
	}
	root := newProject(t, map[string]string{})
	var failed toolError
	if !call(t, session, "activate_project", activation(root), &failed) || failed.Code != "DATABASE_ERROR" {
		t.Errorf("activation without a database: %+v, want DATABASE_ERROR", failed)
	}
	if !strings.Contains(failed.Message, "CDOCS_DATABASE_URL") || strings.Contains(failed.Message, "s3cret") {
		t.Errorf("message %q must name the remedy and not the password", failed.Message)
	}
	if err := session.Close(); err != nil {
		t.Error(err)
	}
}

// Whatever goes wrong, stdout is the protocol's alone.
func TestServe_StdoutIsJSONRPCOnly(t *testing.T) {
	t.Parallel()
	command := server(t, append(away(), "CDOCS_LOG_LEVEL=debug")...)
	stdin, err := command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	requests := []string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`,
		`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"semantic_search","arguments":{"query":"x"}}}`,
		`{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"no_such_tool","arguments":{}}}`,
		`{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"activate_project","arguments":{"config_path":"/nowhere","branch_name":"main"}}}`,
	}
	if _, err := io.WriteString(stdin, strings.Join(requests, "\n")+"\n"); err != nil {
		t.Fatal(err)
	}
	answered := map[float64]bool{}
	scanner := bufio.NewScanner(stdout)
	scanner.Buffer(nil, 1<<20)
	for scanner.Scan() {
		var message map[string]any
		if err := json.Unmarshal(scanner.Bytes(), &message); err != nil || message["jsonrpc"] != "2.0" {
			t.Errorf("stdout carries %q", scanner.Text())
			continue
		}
		if id, ok := message["id"].(float64); ok {
			answered[id] = true
		}
		if len(answered) == 5 {
			if err := stdin.Close(); err != nil {
				t.Error(err)
			}
		}
	}
	if len(answered) != 5 {
		t.Errorf("answered %v, want 5 requests", answered)
	}
	if err := command.Wait(); err != nil {
		t.Errorf("the server ends with %v when stdin does", err)
	}
}

func TestServe_EndsOnSignals(t *testing.T) {
	t.Parallel()
	for _, signal := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		t.Run(signal.String(), func(t *testing.T) {
			t.Parallel()
			command := server(t, away()...)
			session := connect(t, command)
			if err := session.Ping(t.Context(), nil); err != nil {
				t.Fatal(err)
			}
			if err := command.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			defer cancel()
			done := make(chan error, 1)
			go func() { done <- session.Wait() }()
			select {
			case err := <-done:
				t.Logf("the session ends with %v", err)
			case <-ctx.Done():
				t.Fatal("the server goes on")
			}
		})
	}
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
	path := filepath.Join(root, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func activation(root string) map[string]any {
	return map[string]any{
		"config_path": filepath.Join(root, ".csharp-compounding-docs", "config.json"), "branch_name": "main",
	}
}
