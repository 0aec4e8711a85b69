package soak_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/compound-docs/compound-docs/test/fakeollama"
	"github.com/compound-docs/compound-docs/test/mcpclient"
	"github.com/compound-docs/compound-docs/test/testenv"
)

// install prepares a program that waits debounceMS after a save in root.
func install(t *testing.T, root, databaseURL string, fake *fakeollama.Server, debounceMS int) mcpclient.Installation {
	t.Helper()
	home := t.TempDir()
	settings := fmt.Sprintf(`{"file_watcher": {"debounce_ms": %d}}`, debounceMS)
	if err := os.WriteFile(filepath.Join(home, "settings.json"), []byte(settings), 0o600); err != nil {
		t.Fatal(err)
	}
	return mcpclient.Installation{
		Program: testenv.Program(t), Root: root, Home: home, DatabaseURL: databaseURL, OllamaHost: fake.URL(),
		Environment: []string{"CDOCS_LOG_LEVEL=info"},
	}
}

// server is a running server with its client.
type server struct {
	*mcpclient.Client

	calls sync.WaitGroup
}

// start starts a server for the project; the caller kills it.
func start(ctx context.Context, in mcpclient.Installation) (*server, error) {
	client, err := mcpclient.Start(ctx, in.Command("serve", "--project", in.Root))
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
