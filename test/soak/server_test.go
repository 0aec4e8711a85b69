package soak_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/compound-docs/compound-docs/test/fakeollama"
)

// build builds the program, once for each test that calls it.
func build(t *testing.T) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "compound-docs")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", program, "../../cmd/server").CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	return program
}

// installation is the program with a repository and a database to run on.
type installation struct {
	program, root, databaseURL, home string
	fake                             *fakeollama.Server
}

// install prepares a program that waits debounceMS after a save.
func install(t *testing.T, root, databaseURL string, fake *fakeollama.Server, debounceMS int) *installation {
	t.Helper()
	in := &installation{program: build(t), root: root, databaseURL: databaseURL, home: t.TempDir(), fake: fake}
	settings := fmt.Sprintf(`{"file_watcher": {"debounce_ms": %d}}`, debounceMS)
	if err := os.WriteFile(filepath.Join(in.home, "settings.json"), []byte(settings), 0o600); err != nil {
		t.Fatal(err)
	}
	return in
}

// command is the program with arguments on the database at databaseURL.
func (in *installation) command(databaseURL string, arguments ...string) *exec.Cmd {
	command := exec.Command(in.program, append(arguments, "--project", in.root)...)
	command.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + in.home, "CDOCS_HOME=" + in.home, "CDOCS_LOG_LEVEL=info",
		"CDOCS_DATABASE_URL=" + databaseURL, "CDOCS_OLLAMA_HOST=" + in.fake.URL(),
	}
	return command
}

// server is a running server with its client.
type server struct {
	command *exec.Cmd
	session *mcp.ClientSession
	log     *tail
	calls   sync.WaitGroup
}

// start starts a server; the caller kills or closes it.
func (in *installation) start(ctx context.Context) (*server, error) {
	s := &server{command: in.command(in.databaseURL, "serve"), log: &tail{}}
	s.command.Stderr = s.log
	client := mcp.NewClient(&mcp.Implementation{Name: "soak", Version: "1"}, nil)
	session, err := client.Connect(ctx, &mcp.CommandTransport{Command: s.command}, nil)
	if err != nil {
		return nil, fmt.Errorf("start server: %w; it says: %s", err, s.log)
	}
	s.session = session
	return s, nil
}

// activate makes the first call, which activates the project. It does not wait:
// a server may be killed before it answers.
func (s *server) activate(ctx context.Context) {
	s.calls.Go(func() {
		_, _ = s.session.CallTool(ctx, &mcp.CallToolParams{Name: "list_doc_types"}) // the files show whether it worked
	})
}

// call calls a tool and decodes its answer.
func (s *server) call(ctx context.Context, tool string, arguments map[string]any, answer any) error {
	result, err := s.session.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		return fmt.Errorf("call %s: %w", tool, err)
	}
	text, ok := result.Content[0].(*mcp.TextContent)
	if !ok || result.IsError {
		return fmt.Errorf("call %s: %v", tool, result.Content[0])
	}
	return json.Unmarshal([]byte(text.Text), answer)
}

// kill ends the server as a crash does.
func (s *server) kill() {
	_ = s.command.Process.Kill() // fails if it has ended, which is as well
	_ = s.session.Close()        // reports the kill
	s.calls.Wait()
}

// tail keeps the last that was written to it.
type tail struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

const maxTail = 16 << 10

func (l *tail) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.buf.Write(p)
	l.buf.Next(max(0, l.buf.Len()-maxTail))
	return len(p), nil
}

func (l *tail) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.TrimSpace(l.buf.String())
}
