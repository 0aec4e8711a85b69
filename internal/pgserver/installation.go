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

// ErrNotInstalled is in the error of [Find].
var ErrNotInstalled = errors.New("this machine has no PostgreSQL 15 or newer with pgvector 0.8 or newer")

// Find returns the newest PostgreSQL of this machine that has pgvector. The error is an [*Error] that
// says what to install.
func Find(ctx context.Context) (Installation, error) { return newest(installations(ctx)) }

func newest(all []Installation) (Installation, error) {
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
	return Installation{}, notInstalled(err, thisSystem(), os.Geteuid() == 0)
}

// installations returns the servers of this machine, of any version. It returns none on Windows, where
// sockets are open to other users.
func installations(ctx context.Context) []Installation {
	if runtime.GOOS == "windows" {
		return nil
	}
	var candidates []string
	if path, err := exec.LookPath("pg_config"); err == nil {
		if folder, err := output(ctx, path, "--bindir"); err == nil {
			candidates = append(candidates, folder)
		}
	}
	for _, pattern := range folders {
		matches, err := filepath.Glob(pattern)
		if err == nil { // the patterns are ours
			candidates = append(candidates, matches...)
		}
	}
	var all []Installation
	seen := map[string]bool{}
	for _, folder := range candidates {
		real, err := filepath.EvalSymlinks(folder)
		if err != nil || seen[real] {
			continue
		}
		seen[real] = true
		if i, ok := inspect(ctx, folder); ok {
			all = append(all, i)
		}
	}
	return all
}

var serverVersion = regexp.MustCompile(`\(PostgreSQL\) (\d[\w.]*)`)

func inspect(ctx context.Context, bin string) (Installation, bool) {
	i := Installation{Bin: bin}
	for _, program := range []string{"initdb", "postgres"} {
		if _, err := exec.LookPath(i.program(program)); err != nil {
			return Installation{}, false
		}
	}
	text, err := output(ctx, i.program("postgres"), "--version")
	version := serverVersion.FindStringSubmatch(text)
	if err != nil || version == nil {
		return Installation{}, false
	}
	i.PostgreSQL = version[1]
	i.Pgvector = pgvectorOf(ctx, i)
	return i, true
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
	if share, err := output(ctx, server.program("pg_config"), "--sharedir"); err == nil {
		shares = append([]string{share}, shares...)
	}
	for _, share := range shares {
		control, err := os.ReadFile(filepath.Join(share, "extension", "vector.control"))
		if version := defaultVersion.FindSubmatch(control); err == nil && version != nil {
			return string(version[1])
		}
	}
	return ""
}

func output(ctx context.Context, program string, args ...string) (string, error) {
	text, err := exec.CommandContext(ctx, program, args...).Output() //nolint:gosec // one of PostgreSQL's, or ps
	return string(bytes.TrimSpace(text)), err
}
