package main_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// withoutPostgreSQL is a namespace in which this machine has none.
const withoutPostgreSQL = "mount -t tmpfs none /usr/lib/postgresql"

// The machine has apt, and the script ends before it changes anything: it finds that it
// is neither root nor may become it.
func TestInit_InstallsPostgreSQL(t *testing.T) {
	t.Parallel()
	const began = "needs root, or sudo without a password"
	tests := []struct {
		name      string
		arguments []string
		says      string
		begins    bool
	}{
		{"with leave", []string{"init", "--yes"}, "database: installing PostgreSQL and pgvector with apt-get", true},
		{"without anyone to ask", []string{"init"}, "compound-docs init --yes, which installs it", false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			i := newInstallation(t)
			i.unset("CDOCS_DATABASE_URL")
			i.namespace = withoutPostgreSQL
			for program, script := range map[string]string{"apt-get": "exit 1", "id": "echo 1000", "sudo": "exit 1"} {
				writeProgram(t, filepath.Join(filepath.Dir(i.program), program), script)
			}
			got := i.run(t, test.arguments...)
			if !strings.Contains(got.stderr, "compound-docs: there is no database: ") || !strings.Contains(got.stdout, "config: ") {
				t.Errorf("init does not say that all but the database is there: %s%s", got.stdout, got.stderr)
			}
			if got.code != 1 || !strings.Contains(got.stdout+got.stderr, test.says) || strings.Contains(got.stderr, began) != test.begins {
				t.Errorf("init ends with %d, and says %s%s; want 1, %q and that it begins: %v",
					got.code, got.stdout, got.stderr, test.says, test.begins)
			}
		})
	}
}

func TestInit_NamesTheDatabase(t *testing.T) {
	t.Parallel()
	i := newInstallation(t)
	i.unset("CDOCS_DATABASE_URL")
	if got := i.run(t, "init"); got.code != 0 || !strings.Contains(got.stdout, "database: PostgreSQL 1") {
		t.Errorf("init ends with %d, and says %s%s", got.code, got.stdout, got.stderr)
	}
}

// A repository that cannot be written to gets a sentence that says so.
func TestInit_InARepositoryThatCannotBeWrittenTo(t *testing.T) {
	t.Parallel()
	for name, forbid := range map[string]func(t *testing.T, i *installation){
		"by its user": func(t *testing.T, i *installation) {
			t.Helper()
			i.unprivileged = true
			must(t, os.Chmod(i.root, 0o555))
		},
		"on a read-only disk": func(_ *testing.T, i *installation) {
			i.namespace = "mount --bind " + i.root + " " + i.root + "\nmount -o remount,bind,ro " + i.root + "\ncd " + i.root
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			i := newInstallation(t)
			must(t, os.RemoveAll(filepath.Join(i.root, filepath.Dir(configPath))))
			forbid(t, i)
			got := i.run(t, "init")
			if got.code != 1 || !strings.Contains(got.stderr, "nothing can be written in "+i.root+": ") ||
				!strings.Contains(got.stderr, "run it as a user who may, or in a copy") {
				t.Errorf("init ends with %d, and says %s%s", got.code, got.stdout, got.stderr)
			}
		})
	}
}
