package main_test

import (
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
		code      int
		begins    bool
	}{
		{"with leave", []string{"init", "--yes"}, "database: installing PostgreSQL and pgvector with apt-get", 1, true},
		{"without anyone to ask", []string{"init"}, "compound-docs init --yes installs it", 0, false},
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
			if got.code != test.code || !strings.Contains(got.stdout, test.says) || strings.Contains(got.stderr, began) != test.begins {
				t.Errorf("init ends with %d, and says %s%s; want %d, %q and that it begins: %v",
					got.code, got.stdout, got.stderr, test.code, test.says, test.begins)
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
