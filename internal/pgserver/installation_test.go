package pgserver

import (
	"errors"
	"strings"
	"testing"
)

func TestNewest(t *testing.T) {
	t.Parallel()
	old := Installation{Bin: "/old", PostgreSQL: "14.9", Pgvector: "0.8.0"}
	fits := Installation{Bin: "/15", PostgreSQL: "15.18", Pgvector: "0.8.0"}
	newer := Installation{Bin: "/17", PostgreSQL: "17rc1", Pgvector: "1.0"}
	without := Installation{Bin: "/18", PostgreSQL: "18.1"}
	outdated := Installation{Bin: "/16", PostgreSQL: "16.9", Pgvector: "0.7.4"}
	tests := []struct {
		name string
		all  []Installation
		want string // its folder, or a part of the error
	}{
		{"none", nil, "no PostgreSQL 15 or newer with pgvector"},
		{"too old", []Installation{old}, "no PostgreSQL 15 or newer with pgvector"},
		{"the newest that fits", []Installation{old, fits, without, newer, outdated}, "/17"},
		{"without pgvector", []Installation{outdated, without}, "PostgreSQL 18.1 is in /18 without it"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := newest(test.all)
			if err == nil && got.Bin != test.want {
				t.Errorf("found %s, want %s", got.Bin, test.want)
			}
			if err != nil && (!errors.Is(err, ErrNotInstalled) || !strings.Contains(err.Error(), test.want)) {
				t.Errorf("error %v, want %s", err, test.want)
			}
		})
	}
}

func TestNotInstalled(t *testing.T) {
	t.Parallel()
	const pgdg = "sudo /usr/share/postgresql-common/pgdg/apt.postgresql.org.sh -y && sudo apt-get install -y postgresql-17 "
	tests := []struct{ system, want string }{
		{"debian", pgdg},
		{"fedora", "run: sudo dnf install -y postgresql-server pgvector,"},
		{"darwin", "run: brew install postgresql@17 pgvector,"},
		{"windows", "run compound-docs inside WSL (wsl --install), or install Docker Desktop"},
		{"linux", "install PostgreSQL 15 or newer with pgvector 0.8 or newer, or Docker"},
	}
	for _, test := range tests {
		t.Run(test.system, func(t *testing.T) {
			t.Parallel()
			got := notInstalled(ErrNotInstalled, test.system, false).Hint
			if !strings.Contains(got, test.want) || !strings.Contains(got, "CDOCS_DATABASE_URL") {
				t.Errorf("hint %q, want one with %q", got, test.want)
			}
			if got := notInstalled(ErrNotInstalled, test.system, true).Hint; strings.Contains(got, "sudo") {
				t.Errorf("hint %q for root, want one without sudo", got)
			}
		})
	}
}
