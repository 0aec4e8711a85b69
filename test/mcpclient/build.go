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

// coverageFolder is set by make coverage: programs leave there what they have run.
const coverageFolder = "CDOCS_TEST_COVERAGE"

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
	const module = "github.com/compound-docs/compound-docs/"
	arguments, built := []string{"build"}, path
	if covered := os.Getenv(coverageFolder); covered != "" {
		arguments, built = append(arguments, "-cover", "-coverpkg="+module+"..."), path+"-covered"
		// Tests give the program an environment of their own.
		script := "#!/bin/sh\nGOCOVERDIR='" + covered + "' exec '" + built + "' \"$@\"\n"
		if err := os.WriteFile(path, []byte(script), 0o700); err != nil { //nolint:gosec // it is executed
			t.Fatal(err)
		}
	}
	//nolint:gosec // into a folder of ours
	build := exec.CommandContext(t.Context(), "go", append(arguments, "-o", built, module+"cmd/server")...)
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build the server: %v\n%s", err, out)
	}
	return path
}
