package pgserver

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/compound-docs/compound-docs/internal/pgserver/install"
)

// Installer installs PostgreSQL and pgvector on this machine.
type Installer struct {
	// Description says what Install does, for the person who is asked to agree.
	Description string
	// command is for a shell; "" stands for the script that uses apt.
	command string
}

// newInstaller returns nil for a system whose packages are not known. major is as in
// [installHint].
func newInstaller(s system, major int) *Installer {
	if _, err := exec.LookPath("apt-get"); err == nil && s.name == "linux" {
		return &Installer{Description: "PostgreSQL and pgvector with apt-get"}
	}
	command := installCommand(s, major)
	if command == "" {
		return nil
	}
	return &Installer{Description: "PostgreSQL and pgvector, with: " + command, command: command}
}

// Install installs the packages as root, or with sudo, which may ask for a password if stdin
// is a terminal. Otherwise sudo must work without a password. Progress is written to out.
func (i *Installer) Install(ctx context.Context, stdin *os.File, out io.Writer) (err error) {
	run := func(program string, arguments ...string) error {
		command := exec.CommandContext(ctx, program, arguments...) //nolint:gosec // ours, as those who agreed have read
		command.Stdin, command.Stdout, command.Stderr = stdin, out, out
		if err := command.Run(); err != nil {
			return fmt.Errorf("install %s: %s: %w", i.Description, program, err)
		}
		return nil
	}
	if i.command != "" {
		return run("sh", "-c", i.command)
	}
	if os.Geteuid() != 0 {
		if err := run("sudo", "-v"); err != nil {
			return err
		}
	}
	folder, err := os.MkdirTemp("", "compound-docs-install-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	if err := os.CopyFS(folder, install.Scripts); err != nil {
		return err
	}
	return run("sh", filepath.Join(folder, "install.sh"), "database")
}
