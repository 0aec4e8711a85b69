package testenv

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

// installation is a PostgreSQL server on this machine.
type installation struct {
	bin        string // folder of initdb and postgres
	postgreSQL string // version
}

// installationFolders are where packages put a PostgreSQL: Debian and PGDG,
// Fedora's PGDG, Homebrew on two architectures, Postgres.app.
var installationFolders = []string{
	"/usr/lib/postgresql/*/bin",
	"/usr/pgsql-*/bin",
	"/opt/homebrew/opt/postgresql@*/bin",
	"/usr/local/opt/postgresql@*/bin",
	"/Applications/Postgres.app/Contents/Versions/*/bin",
}

var errNoPostgres = errors.New(`no PostgreSQL 15 or newer with pgvector 0.8 or newer on this machine: ` +
	`run "sh test/testenv/scripts/install.sh", or set ` + EnvDatabaseURL)

// findPostgres returns the newest PostgreSQL of this machine that has a
// pgvector to go with it.
func findPostgres(ctx context.Context) (installation, error) {
	var folders []string
	for _, pattern := range installationFolders {
		matches, err := filepath.Glob(pattern)
		if err != nil {
			return installation{}, err
		}
		folders = append(folders, matches...)
	}
	if path, err := exec.LookPath("pg_config"); err == nil {
		if folder, err := output(ctx, path, "--bindir"); err == nil {
			folders = append(folders, folder)
		}
	}

	var newest installation
	for _, folder := range folders {
		found, ok := inspect(ctx, folder)
		if ok && number(found.postgreSQL) > number(newest.postgreSQL) {
			newest = found
		}
	}
	if newest.bin == "" {
		return installation{}, errNoPostgres
	}
	return newest, nil
}

var defaultVersion = regexp.MustCompile(`(?m)^default_version *= *'([^']*)'`)

// inspect tells whether a folder has a server that will do.
func inspect(ctx context.Context, bin string) (installation, bool) {
	for _, program := range []string{"initdb", "postgres"} {
		if _, err := exec.LookPath(filepath.Join(bin, program)); err != nil {
			return installation{}, false
		}
	}
	text, err := output(ctx, filepath.Join(bin, "pg_config"), "--version", "--sharedir")
	version, share, both := strings.Cut(strings.TrimPrefix(text, "PostgreSQL "), "\n")
	if err != nil || !both {
		return installation{}, false
	}
	control, err := os.ReadFile(filepath.Join(share, "extension", "vector.control"))
	if err != nil {
		return installation{}, false
	}
	pgvector := defaultVersion.FindSubmatch(control)
	fits := pgvector != nil && number(version) >= minPostgreSQL && number(string(pgvector[1])) >= minPgvector
	return installation{bin: bin, postgreSQL: version}, fits
}

// output runs a program and returns what it prints.
func output(ctx context.Context, program string, args ...string) (string, error) {
	text, err := exec.CommandContext(ctx, program, args...).Output() //nolint:gosec // pg_config, where inspect looks for it
	return strings.TrimSpace(string(text)), err
}
