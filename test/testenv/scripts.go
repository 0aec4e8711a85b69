package testenv

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"

	"github.com/compound-docs/compound-docs/test/postgres"
)

// scripts install packages, provide Docker, and build images.
//
//go:embed scripts
var scripts embed.FS

// runScript runs a script. What it does is told on stderr.
func runScript(ctx context.Context, environment []string, name string, arguments ...string) (err error) {
	folder, err := os.MkdirTemp("", "cdocs-scripts-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	if err := os.CopyFS(folder, scripts); err != nil {
		return err
	}
	arguments = append([]string{filepath.Join(folder, "scripts", name)}, arguments...)
	script := exec.CommandContext(ctx, "sh", arguments...) //nolint:gosec // ours
	script.Env = append(os.Environ(), environment...)
	script.Stderr = os.Stderr
	script.SysProcAttr = childAttributes(nil, syscall.SIGTERM) // upon which it cleans up
	script.Cancel = func() error { return syscall.Kill(-script.Process.Pid, syscall.SIGTERM) }
	if err := script.Run(); err != nil {
		return fmt.Errorf("run %s: %w", name, err)
	}
	return nil
}

// Install installs what this machine lacks to run services as native processes.
// It is quick where nothing is missing.
func Install(ctx context.Context, database, ollama bool) error {
	var missing []string
	if database && os.Getenv(EnvDatabaseURL) == "" {
		if _, err := findPostgres(ctx); errors.Is(err, postgres.ErrNoPip) {
			missing = append(missing, "pip")
		}
	}
	_, errC := exec.LookPath("cc")
	_, errCXX := exec.LookPath("c++")
	if ollama && os.Getenv(EnvOllamaHost) == "" && errors.Join(errC, errCXX) != nil {
		missing = append(missing, "compiler")
	}
	if len(missing) == 0 {
		return nil
	}
	return runScript(ctx, nil, "install.sh", missing...)
}
