package testenv

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/cpu"

	"github.com/compound-docs/compound-docs/test/tail"
)

// ollamaModule is the newest Ollama that builds from its Go module alone:
// module archives lack the vendor folders that later ones need.
const (
	ollamaModule  = "github.com/ollama/ollama"
	ollamaVersion = "v0.10.1"
)

// ollamaBinary returns the path of Ollama's program, in the user's cache
// folder, and builds it unless it is there.
func ollamaBinary(ctx context.Context, logf Logf) (string, error) {
	level, flags := instructionSet()
	var binary string
	err := inCache(ctx, filepath.Join("ollama-"+ollamaVersion, runtime.GOOS+"-"+level), func(folder string) error {
		binary = filepath.Join(folder, "ollama")
		_, err := os.Stat(binary)
		if errors.Is(err, fs.ErrNotExist) {
			err = buildOllama(ctx, folder, binary, flags, logf)
		}
		return err
	})
	return binary, err
}

// instructionSet returns the level of this machine's processor and the compiler
// flags for it. Without vector instructions inference is some 20 times slower.
// The level is named rather than "native", so that a cache that moves to
// another machine holds nothing that does not run there.
func instructionSet() (level, flags string) {
	const optimised = "-O3 -g0"
	if runtime.GOARCH == "amd64" && cpu.X86.HasAVX2 && cpu.X86.HasFMA && cpu.X86.HasBMI1 && cpu.X86.HasBMI2 {
		return "amd64-v3", optimised + " -march=x86-64-v3"
	}
	return runtime.GOARCH, optimised
}

// buildOllama builds Ollama in a folder that no other process uses.
func buildOllama(ctx context.Context, folder, binary, flags string, logf Logf) (err error) {
	scratch, err := os.MkdirTemp(folder, "build-")
	if err != nil {
		return fmt.Errorf("build Ollama: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(scratch)) }()

	logf("building Ollama %s from its Go module into %s: once, in some minutes", ollamaVersion, folder)
	began := time.Now()
	version := "-X=" + ollamaModule + "/version.Version=" + strings.TrimPrefix(ollamaVersion, "v")
	//nolint:gosec // of constants
	install := exec.CommandContext(ctx, "go", "install", "-ldflags", "-s -w "+version, ollamaModule+"@"+ollamaVersion)
	install.Dir = scratch // outside of every module
	install.Env = append(os.Environ(),
		"GOBIN="+scratch,
		"GOWORK=off",
		"GOFLAGS=-trimpath", // the user's may not go with a version after @; empty would mean those of "go env"
		"CGO_ENABLED=1",
		"CGO_CFLAGS="+flags,
		"CGO_CXXFLAGS="+flags,
	)
	install.SysProcAttr = childAttributes(nil, syscall.SIGKILL)
	if text, err := install.CombinedOutput(); err != nil {
		return fmt.Errorf("build Ollama (set %s to do without): %w\n%s", EnvOllamaHost, err, tail.Of(text))
	}
	if err := os.Rename(filepath.Join(scratch, "ollama"), binary); err != nil {
		return fmt.Errorf("build Ollama: %w", err)
	}
	logf("built Ollama in %s", time.Since(began).Round(time.Second))
	return nil
}
