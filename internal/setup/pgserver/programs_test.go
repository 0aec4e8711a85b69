package pgserver

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// copyPrograms puts the PostgreSQL of the tests to where the bundled one is for a program in folder.
func copyPrograms(t *testing.T, folder string) (bin string) {
	t.Helper()
	installed := find(t)
	root, ok := strings.CutSuffix(installed.Bin, "/"+bundleBin)
	if !ok {
		t.Skip("the tests run with another PostgreSQL than the bundled one:", installed.Bin)
	}
	to := filepath.Join(folder, "postgresql")
	if err := os.CopyFS(to, os.DirFS(root)); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.CommandContext(t.Context(), "chmod", "-R", "a+rX", to).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return filepath.Join(to, bundleBin)
}

// A server whose programs are gone, or other than the named ones, is started again with these, once a
// process. Data of the same major version stays.
func TestServer_GivesWay(t *testing.T) {
	t.Parallel()
	home := homeWithCluster(t)
	first := newServer(t, home)
	first.Programs = copyPrograms(t, home)
	query(t, mustStart(t, first), "CREATE TABLE kept AS SELECT 7 AS n")
	before, _ := processOf(t, first)

	mustStart(t, first)
	same := newServer(t, home)
	same.Programs = first.Programs
	mustStart(t, same)
	if now, _ := processOf(t, first); now != before {
		t.Error("a server with the same programs is started again")
	}

	second := newServer(t, home)
	if got := query(t, mustStart(t, second), "SELECT n::text FROM kept"); got != "7" {
		t.Errorf("with other programs the table holds %q", got)
	}
	after, _ := processOf(t, second)
	if after == before {
		t.Error("the server runs on with programs that are not the named ones")
	}
	mustStart(t, first)
	if now, _ := processOf(t, second); now != after {
		t.Error("two processes restart the server in turns")
	}
}

// A newer bundled PostgreSQL replaces a running server. An older one leaves it alone.
func TestServer_GivesWayToANewerBundle(t *testing.T) {
	t.Parallel()
	bundled := find(t)
	gone := filepath.Join(t.TempDir(), "gone")
	for name, test := range map[string]struct {
		former Installation
		want   bool
	}{
		"an earlier release's":  {Installation{}, true},
		"older":                 {Installation{PostgreSQL: "15.1", Pgvector: "0.7.4", Bin: bundled.Bin}, true},
		"an older pgvector":     {Installation{PostgreSQL: bundled.PostgreSQL, Pgvector: "0.7.4", Bin: bundled.Bin}, true},
		"the same":              {bundled, false},
		"newer":                 {Installation{PostgreSQL: "99.1", Pgvector: "1.0", Bin: bundled.Bin}, false},
		"the same, and removed": {Installation{PostgreSQL: bundled.PostgreSQL, Pgvector: bundled.Pgvector, Bin: gone}, true},
	} {
		if got := olderThan(test.former, bundled); got != test.want {
			t.Errorf("%s: gives way: %t", name, got)
		}
	}
}

// Root's account cannot enter root's folders, so it runs a copy.
func TestServer_CopiesProgramsForItsAccount(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root runs PostgreSQL under another account")
	}
	home := newHome(t)
	closed := filepath.Join(home, "closed")
	if err := os.Mkdir(closed, 0o700); err != nil {
		t.Fatal(err)
	}
	bin := copyPrograms(t, closed)
	l, err := layoutOf(home)
	if err != nil {
		t.Fatal(err)
	}
	installed := find(t)
	installed.Bin, installed.bundle = bin, filepath.Join(closed, "postgresql")
	older := filepath.Join(l.folder, "bundle-18.1-0.8.0")
	if err := os.MkdirAll(older, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := l.make(); err != nil {
		t.Fatal(err)
	}
	provided, err := l.provide(installed)
	if err != nil || provided.Bin == bin {
		t.Fatalf("the account is to run %s (%v)", provided.Bin, err)
	}
	s := newServer(t, home)
	s.Programs = provided.Bin
	if got := query(t, mustStart(t, s), "SELECT '[1]'::text"); got != "[1]" {
		t.Errorf("the server answers %q", got)
	}
	if _, err := os.Stat(older); err == nil {
		t.Error("the copy of an older one stays")
	}
}

// Data that an account owns goes on with it, whatever accounts the system has got since.
func TestServerAccount_OwnsTheData(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root runs PostgreSQL under another account")
	}
	data := t.TempDir()
	const uid, gid = 12345, 12346
	if err := os.Chown(data, uid, gid); err != nil {
		t.Fatal(err)
	}
	account, err := ServerAccount(filepath.Join(data, "missing"), data)
	if want := (Account{uid, gid}); err != nil || *account != want {
		t.Errorf("account %+v, %v; want %+v", account, err, want)
	}
}
