package testenv

import (
	"context"
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"syscall"
)

//go:embed install.sh
var installScript string

// Services that Install sees to.
const (
	DatabaseService = "database"
	OllamaService   = "ollama"
)

// Install sees to it that this machine has what services need that run as native
// processes. It is quick where nothing is missing, and says on stderr what it
// installs.
func Install(ctx context.Context, services ...string) error {
	arguments := append([]string{"-c", installScript, "install.sh"}, services...)
	install := exec.CommandContext(ctx, "sh", arguments...) //nolint:gosec // ours
	install.Stderr = os.Stderr
	install.SysProcAttr = childAttributes(nil, syscall.SIGTERM)
	install.Cancel = func() error { return syscall.Kill(-install.Process.Pid, syscall.SIGTERM) }
	if err := install.Run(); err != nil {
		return fmt.Errorf("install what services need: %w", err)
	}
	return nil
}
