package pgserver

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"

	"github.com/compound-docs/compound-docs/internal/pgserver/install"
)

// Error says what a person has to do before there is a database.
type Error struct {
	Err  error
	Hint string // a remedy in a sentence
	// Installer does what the hint says, where PostgreSQL is missing and the system's
	// packages are known. Otherwise it is nil.
	Installer *Installer
}

func (e *Error) Error() string { return e.Err.Error() + "; " + e.Hint }

func (e *Error) Unwrap() error { return e.Err }

const pgdg = "sudo apt-get install -y postgresql-common && " +
	"sudo /usr/share/postgresql-common/pgdg/apt.postgresql.org.sh -y && " +
	"sudo apt-get install -y postgresql-17 postgresql-17-pgvector"

// installCommands are the commands that install PostgreSQL and pgvector, by [thisSystem]. Red Hat
// has no pgvector. The packages of Debian and Ubuntu have none, or one that is too old, except in
// the newest releases.
var installCommands = map[string]string{ //nolint:gochecknoglobals // a table
	"darwin": "brew install postgresql@17 pgvector",
	"debian": pgdg,
	"fedora": "sudo dnf install -y postgresql-server pgvector",
}

// thisSystem returns "debian" for Debian and the systems made from it, "fedora" for Fedora, and
// otherwise Go's name of this operating system.
func thisSystem() string {
	for _, system := range []struct{ name, file string }{{"debian", "/etc/debian_version"}, {"fedora", "/etc/fedora-release"}} {
		if _, err := os.Stat(system.file); err == nil {
			return system.name
		}
	}
	return runtime.GOOS
}

// installCommand is "" for a system that is not known.
func installCommand(system string, root bool) string {
	if root {
		return strings.ReplaceAll(installCommands[system], "sudo ", "") // which small systems do not have
	}
	return installCommands[system]
}

// installHint names a command that installs PostgreSQL and pgvector, or says what is needed.
func installHint(system string, root bool) string {
	const again = ", and try again; or set CDOCS_DATABASE_URL to a PostgreSQL of your own"
	if system == "windows" {
		return "run compound-docs inside WSL (wsl --install), or install Docker Desktop, which it uses by itself" + again
	}
	if command := installCommand(system, root); command != "" {
		return "run: " + command + again
	}
	return "install PostgreSQL 15 or newer with pgvector 0.8 or newer, or Docker with Compose, which is used by itself" + again
}

// Installer installs PostgreSQL and pgvector on this machine.
type Installer struct {
	// Description says what Install does, for the person who is asked to agree.
	Description string

	script string // for a shell
}

// newInstaller returns nil for a system whose packages are not known.
func newInstaller(system string, root bool) *Installer {
	if _, err := exec.LookPath("apt-get"); err == nil && system == "debian" {
		return &Installer{Description: "PostgreSQL and pgvector with apt-get", script: install.Script()}
	}
	command := installCommand(system, root)
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
