package soak_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/compound-docs/compound-docs/test/fakeollama"
	"github.com/compound-docs/compound-docs/test/mcpclient"
)

// installation is the program with a repository and a database to run on.
type installation struct {
	program, root, databaseURL, home string
	fake                             *fakeollama.Server
}

// install prepares a program that waits debounceMS after a save.
func install(t *testing.T, root, databaseURL string, fake *fakeollama.Server, debounceMS int) *installation {
	t.Helper()
	in := &installation{program: mcpclient.Build(t), root: root, databaseURL: databaseURL, home: t.TempDir(), fake: fake}
	settings := fmt.Sprintf(`{"file_watcher": {"debounce_ms": %d}}`, debounceMS)
	if err := os.WriteFile(filepath.Join(in.home, "settings.json"), []byte(settings), 0o600); err != nil {
		t.Fatal(err)
	}
	return in
}

// command is the program with arguments on the database at databaseURL.
func (in *installation) command(databaseURL string, arguments ...string) *exec.Cmd {
	command := exec.Command(in.program, append(arguments, "--project", in.root)...)
	command.Env = mcpclient.Environment(in.home, databaseURL, in.fake.URL(), "CDOCS_LOG_LEVEL=info")
	return command
}

// server is a running server with its client.
type server struct {
	*mcpclient.Client

	calls sync.WaitGroup
}

// start starts a server; the caller kills it.
func (in *installation) start(ctx context.Context) (*server, error) {
	client, err := mcpclient.Start(ctx, in.command(in.databaseURL, "serve"), nil)
	return &server{Client: client}, err
}

// activate makes the first call, which activates the project. It does not wait:
// a server may be killed before it answers.
func (s *server) activate(ctx context.Context) {
	s.calls.Go(func() {
		_, _ = s.Text(ctx, "list_doc_types", nil) // the files show whether it worked
	})
}

// kill ends the server as a crash does.
func (s *server) kill() {
	s.Kill()
	s.calls.Wait()
}
