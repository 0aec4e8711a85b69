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
			got, err := newest(test.all, nil)
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
	for system, want := range map[string]string{
		"alpine":  "run as root: apk add postgresql postgresql-pgvector,",
		"windows": "run compound-docs inside WSL (wsl --install), or install Docker Desktop",
		"freebsd": "install compound-docs from one of its packages, which contain PostgreSQL; or install PostgreSQL 15",
	} {
		got := notInstalled(ErrNotInstalled, system, true).Hint
		if !strings.Contains(got, want) || !strings.Contains(got, "CDOCS_DATABASE_URL") {
			t.Errorf("%s: hint %q, want one with %q", system, got, want)
		}
	}
	// The package with a PostgreSQL that does not run is installed already.
	if got := notInstalled(ErrNotInstalled, "linux", false).Hint; strings.Contains(got, "packages") {
		t.Errorf("hint %q", got)
	}
}

// An error shows the lines that name a cause, and they are short.
func TestCauses(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ output, want string }{
		"a full disk": {
			"2026-11-26 20:00:00.000 UTC [7] LOG:  starting PostgreSQL 18.6\n" + strings.Repeat("waiting for server to start....\n", 99) +
				"2026-11-26 20:00:01.000 UTC [7] FATAL:  could not write lock file \"postmaster.pid\": No space left on device\n" +
				"2026-11-26 20:00:01.000 UTC [7] LOG:  database system is shut down\npg_ctl: could not start server\nExamine the log output.\n",
			"FATAL:  could not write lock file \"postmaster.pid\": No space left on device",
		},
		"initdb": {
			"The files belonging to this database system will be owned by user \"dev\".\ncreating directory /x ... initdb: error: " +
				"could not create directory \"/x\": Permission denied\n",
			"creating directory /x ... initdb: error: could not create directory \"/x\": Permission denied",
		},
		"no cause": {"one\ntwo\nthree\nfour\n", "two; three; four"},
		"nothing":  {"", ""},
	} {
		if got := causes(test.output); got != test.want {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
	if got := causes(strings.Repeat("FATAL: "+strings.Repeat("x", 300)+"\n", 3)); len(got) > 220 {
		t.Errorf("%d bytes", len(got))
	}
}
