package mcpclient

import (
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

// program is the binary of this process's tests, while one of them uses it.
var program struct {
	mu     sync.Mutex
	folder string
	users  int
}

// Build builds the program, once for tests that run at the same time, and returns
// its path.
func Build(t testing.TB) string {
	t.Helper()
	program.mu.Lock()
	defer program.mu.Unlock()
	if program.users == 0 {
		folder, err := os.MkdirTemp("", "compound-docs-test-") //nolint:usetesting // tests share it
		if err != nil {
			t.Fatal(err)
		}
		program.folder = folder
	}
	program.users++
	t.Cleanup(func() {
		program.mu.Lock()
		defer program.mu.Unlock()
		if program.users--; program.users == 0 {
			if err := os.RemoveAll(program.folder); err != nil {
				t.Error(err)
			}
		}
	})
	path := filepath.Join(program.folder, "compound-docs")
	if _, err := os.Stat(path); err == nil {
		return path
	}
	//nolint:gosec // into a folder of ours
	build := exec.CommandContext(t.Context(), "go", "build", "-o", path, "github.com/compound-docs/compound-docs/cmd/server")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build the server: %v\n%s", err, out)
	}
	return path
}
