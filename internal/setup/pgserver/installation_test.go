package pgserver

import (
	"os"
	"strings"
	"testing"
)

func TestNotInstalled(t *testing.T) {
	t.Parallel()
	for system, want := range map[string]string{
		"windows": "run compound-docs inside WSL (wsl --install); or set",
		"linux":   "install compound-docs from one of its packages, which contain PostgreSQL; or install PostgreSQL 15",
	} {
		got := notInstalled(ErrNotInstalled, system).Hint
		if !strings.Contains(got, want) || !strings.Contains(got, "CDOCS_DATABASE_URL") {
			t.Errorf("%s: hint %q, want one with %q", system, got, want)
		}
	}
	// The package with a PostgreSQL that does not run is installed already.
	if got := notInstalled(os.ErrInvalid, "linux").Hint; strings.Contains(got, "packages") || !strings.Contains(got, "CDOCS_POSTGRES") {
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
