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

// Error says what a person must do before there is a database.
type Error struct {
	Err  error
	Hint string // a remedy in a sentence
	// Installer does what the hint says if PostgreSQL is missing on a known system, and is nil otherwise.
	Installer *Installer
}

func (e *Error) Error() string { return e.Err.Error() + "; " + e.Hint }

func (e *Error) Unwrap() error { return e.Err }

// installCommands install PostgreSQL and pgvector, by [thisSystem]. Debian and Ubuntu have no
// pgvector, or one that is too old, except in the newest releases.
var installCommands = map[string]string{ //nolint:gochecknoglobals // a table
	"darwin": "brew install postgresql@17 pgvector",
	"debian": "sudo apt-get install -y postgresql-common && " +
		"sudo /usr/share/postgresql-common/pgdg/apt.postgresql.org.sh -y && " +
		"sudo apt-get install -y postgresql-17 postgresql-17-pgvector",
	"fedora": "sudo dnf install -y postgresql-server pgvector",
}

// thisSystem returns "debian" for Debian and its descendants, "fedora" for Fedora, and otherwise
// Go's name of this operating system.
func thisSystem() string {
	for _, system := range []struct{ name, file string }{{"debian", "/etc/debian_version"}, {"fedora", "/etc/fedora-release"}} {
		if _, err := os.Stat(system.file); err == nil {
			return system.name
		}
	}
	return runtime.GOOS
}

// notInstalled adds to err how a system gets PostgreSQL and pgvector.
func notInstalled(err error, system string, root bool) *Error {
	const again = ", and try again; or set CDOCS_DATABASE_URL to a PostgreSQL of your own"
	command := installCommands[system]
	if root {
		command = strings.ReplaceAll(command, "sudo ", "") // small systems have no sudo
	}
	switch {
	case system == "windows":
		return &Error{Err: err, Hint: "run compound-docs inside WSL (wsl --install), or install Docker Desktop, which it uses " +
			"by itself" + again}
	case command == "":
		return &Error{Err: err, Hint: "install PostgreSQL 15 or newer with pgvector 0.8 or newer, or Docker with Compose, " +
			"which is used by itself" + again}
	}
	installer := &Installer{Description: "PostgreSQL and pgvector, with: " + command, script: command}
	if _, err := exec.LookPath("apt-get"); err == nil && system == "debian" {
		installer = &Installer{Description: "PostgreSQL and pgvector with apt-get", script: install.Script()}
	}
	return &Error{Err: err, Hint: "run: " + command + again, Installer: installer}
}

// Installer installs PostgreSQL and pgvector on this machine.
type Installer struct {
	// Description says what Install does, for the person who is asked to agree.
	Description string

	script string // for a shell
}

// Install installs the packages as root or with sudo. Sudo may ask for a password if stdin is a
// terminal. Progress goes to out.
func (i *Installer) Install(ctx context.Context, stdin *os.File, out io.Writer) error {
	command := exec.CommandContext(ctx, "sh", "-c", i.script, "install.sh", "database") //nolint:gosec // the user has agreed
	command.Stdin, command.Stdout, command.Stderr = stdin, out, out
	if err := command.Run(); err != nil {
		return fmt.Errorf("install %s: %w", i.Description, err)
	}
	return nil
}
