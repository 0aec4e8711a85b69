package pgserver

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strconv"
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

// system identifies an operating system, as far as the names of its packages depend on it.
type system struct {
	name    string // runtime.GOOS
	id      string // ID and ID_LIKE of os-release, each between spaces
	version string // VERSION_ID
	root    bool   // who asks is root, and needs no sudo, which small systems do not have
}

func thisSystem() system {
	text, _ := os.ReadFile("/etc/os-release") // without it, not Linux, or one that is unknown
	s := readSystem(runtime.GOOS, string(text))
	s.root = os.Geteuid() == 0
	return s
}

// readSystem reads os-release, whose lines are shell assignments.
func readSystem(name, release string) system {
	s := system{name: name, id: " "}
	for line := range strings.Lines(release) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		value = strings.Trim(value, `"'`)
		switch key {
		case "ID", "ID_LIKE":
			s.id += value + " "
		case "VERSION_ID":
			s.version = value
		}
	}
	return s
}

func (s system) is(id string) bool { return strings.Contains(s.id, " "+id+" ") }

// packagedMajor is the version of PostgreSQL to install where there is none, unless the
// system's own packages have another one.
const packagedMajor = 17

// installHint names the command that installs PostgreSQL and pgvector. major is that of
// a PostgreSQL 15 or newer that lacks pgvector, and 0 if there is none.
func installHint(s system, major int) string {
	const again = ", and try again; or set CDOCS_DATABASE_URL to a PostgreSQL of your own"
	if s.name == "windows" {
		return "run compound-docs inside WSL (wsl --install), or install Docker Desktop, which it uses by itself" + again
	}
	if command := s.installCommand(major); command != "" {
		return "run: " + command + again
	}
	return "install PostgreSQL 15 or newer with pgvector 0.8 or newer, or Docker with Compose, which is used by itself" + again
}

// installCommand is "" for a system that is not known.
func (s system) installCommand(major int) string {
	want := strconv.Itoa(cmp.Or(major, packagedMajor))
	const pgdg = "sudo apt-get install -y postgresql-common && " +
		"sudo /usr/share/postgresql-common/pgdg/apt.postgresql.org.sh -y && "
	command := fmt.Sprintf("sudo apt-get install -y postgresql-%s postgresql-%s-pgvector", want, want)
	switch {
	case s.name == "darwin": // Homebrew has pgvector for its newest two alone
		command = fmt.Sprintf("brew install postgresql@%d pgvector", max(major, packagedMajor))
	case s.name != "linux":
		return ""
	case strings.HasPrefix(s.id, " debian ") && s.version == "13" && want == strconv.Itoa(packagedMajor):
	case s.is("debian"), s.is("ubuntu"):
		command = pgdg + command // older ones have no pgvector, or one that is too old
	case s.is("fedora") && !s.is("rhel") && !s.is("centos"):
		command = "sudo dnf install -y postgresql-server pgvector"
	case s.is("arch"):
		command = "sudo pacman -S --needed --noconfirm postgresql pgvector"
	case s.is("alpine"):
		command = "sudo apk add postgresql postgresql-pgvector"
	default:
		return ""
	}
	if s.root {
		command = strings.ReplaceAll(command, "sudo ", "")
	}
	return command
}

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
