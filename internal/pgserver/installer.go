package pgserver

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"

	"github.com/compound-docs/compound-docs/internal/pgserver/install"
)

// Installer installs PostgreSQL and pgvector on this machine.
type Installer struct {
	// Description says what Install does, for the person who is asked to agree.
	Description string

	script string // for a shell
}

// newInstaller returns nil for a system whose packages are not known. major is as in
// [installHint].
func newInstaller(s system, major int) *Installer {
	if _, err := exec.LookPath("apt-get"); err == nil && s.name == "linux" {
		return &Installer{Description: "PostgreSQL and pgvector with apt-get", script: install.Script()}
	}
	command := s.installCommand(major)
	if command == "" {
		return nil
	}
	return &Installer{Description: "PostgreSQL and pgvector, with: " + command, script: command}
}

// Install installs the packages as root, or with sudo, which may ask for a password if stdin
// is a terminal. Otherwise sudo must work without a password. Progress is written to out.
func (i *Installer) Install(ctx context.Context, stdin *os.File, out io.Writer) error {
	//nolint:gosec // ours, as those who agreed have read
	command := exec.CommandContext(ctx, "sh", "-c", i.script, "install.sh", "database")
	command.Stdin, command.Stdout, command.Stderr = stdin, out, out
	if err := command.Run(); err != nil {
		return fmt.Errorf("install %s: %w", i.Description, err)
	}
	return nil
}
