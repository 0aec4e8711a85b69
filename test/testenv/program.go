package testenv

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// coverageFolder is set by make coverage: programs leave there what they have run.
const coverageFolder = "CDOCS_TEST_COVERAGE"

// program is the folder of the binary that the tests of this process start.
type program string

func (p program) path() string { return filepath.Join(string(p), "compound-docs") }

// Stop removes the binary.
func (p program) Stop() error { return os.RemoveAll(string(p)) }

// Program returns the path of the program: that of [EnvProgram], or one that it builds, once for all
// tests of the process.
func Program(t testing.TB) string {
	t.Helper()
	if built := os.Getenv(EnvProgram); built != "" {
		return built
	}
	return sharedService(t, &services.program, buildProgram).path()
}

// BuildProgram builds the program, and returns its path and what removes it.
func BuildProgram(ctx context.Context, logf Logf) (path string, remove func() error, err error) {
	p, err := buildProgram(ctx, logf)
	return p.path(), p.Stop, err
}

func buildProgram(ctx context.Context, _ Logf) (p program, err error) {
	folder, err := os.MkdirTemp("", "compound-docs-test-")
	if err != nil {
		return "", fmt.Errorf("build the program: %w", err)
	}
	p = program(folder)
	defer func() {
		if err != nil {
			_ = p.Stop() // the error before says more
		}
	}()
	const module = "github.com/compound-docs/compound-docs/"
	arguments, built := []string{"build", "-trimpath", "-ldflags=-s -w"}, p.path() // as make build does
	if covered := os.Getenv(coverageFolder); covered != "" {
		arguments, built = append(arguments, "-cover", "-coverpkg="+module+"..."), p.path()+"-covered"
		// Tests choose the program's environment, so the script sets this variable.
		script := "#!/bin/sh\nGOCOVERDIR='" + covered + "' exec '" + built + "' \"$@\"\n"
		if err := os.WriteFile(p.path(), []byte(script), 0o700); err != nil { //nolint:gosec // it is executed
			return p, fmt.Errorf("build the program: %w", err)
		}
	}
	//nolint:gosec // into a folder of ours
	build := exec.CommandContext(ctx, "go", append(arguments, "-o", built, module+"cmd/server")...)
	if out, err := build.CombinedOutput(); err != nil {
		return p, fmt.Errorf("build the program: %w\n%s", err, out)
	}
	return p, nil
}
