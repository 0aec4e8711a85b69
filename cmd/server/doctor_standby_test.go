//go:build unix

package main_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/compound-docs/compound-docs/test/testenv"
)

// A database server that follows another one is named: a real cluster that was stopped and
// started as a standby.
func TestDoctor_NamesAStandby(t *testing.T) {
	t.Parallel()
	testenv.Slow(t, "clusters of PostgreSQL are made")
	o := newOwnDatabase(t)
	mustRun(t, o.root, o.environment, "clean", "--dry-run") // it makes the tables
	mustRun(t, o.root, o.environment, "down")
	versions, err := filepath.Glob(filepath.Join(o.home, "postgres", "*", "PG_VERSION"))
	if err != nil || len(versions) != 1 {
		t.Fatal("no cluster:", versions, err)
	}
	var stat syscall.Stat_t
	if err := syscall.Stat(versions[0], &stat); err != nil {
		t.Fatal(err)
	}
	signal := filepath.Join(filepath.Dir(versions[0]), "standby.signal")
	if err := os.WriteFile(signal, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(signal, int(stat.Uid), int(stat.Gid)); err != nil {
		t.Fatal(err)
	}
	run(t, o.root, o.environment, "clean", "--dry-run") // it starts the cluster, and may fail
	said := run(t, o.root, o.environment, "doctor")
	if said.code != 1 || !strings.Contains(said.stdout, "is a standby, which only reads") ||
		!strings.Contains(said.stdout, "set CDOCS_DATABASE_URL to the primary server") {
		t.Errorf("doctor ends with %d: %s%s", said.code, said.stdout, said.stderr)
	}
}
