package pgserver

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// The data of another version of PostgreSQL stays aside, and a new cluster is made.
func TestServer_AnotherVersion(t *testing.T) {
	t.Parallel()
	s := newServer(t, homeWithCluster(t))
	query(t, mustStart(t, s), "CREATE TABLE kept AS SELECT 7 AS n")
	if _, err := s.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	former := filepath.Join(s.home, "postgres", "9")
	if err := os.Rename(filepath.Join(s.home, "postgres", strconv.Itoa(find(t).Major())), former); err != nil {
		t.Fatal(err)
	}
	url := mustStart(t, newServer(t, s.home))
	if got := query(t, url, "SELECT count(*)::text FROM pg_tables WHERE tablename = 'kept'"); got != "0" {
		t.Errorf("%s tables are in the new cluster", got)
	}
	if !exists(filepath.Join(former, "PG_VERSION")) {
		t.Error("the former data is gone")
	}
}

// The remedy for a folder that has lost files works.
func TestServer_DamagedFolder(t *testing.T) {
	t.Parallel()
	for lost, says := range map[string]string{
		"PG_VERSION": "is not a database cluster directory", "global/pg_control": "global/pg_control",
	} {
		t.Run(lost, func(t *testing.T) {
			t.Parallel()
			s := newServer(t, homeWithCluster(t))
			data := query(t, mustStart(t, s), "SHOW data_directory")
			if _, err := s.Stop(t.Context()); err != nil {
				t.Fatal(err)
			}
			if err := os.Remove(filepath.Join(data, lost)); err != nil {
				t.Fatal(err)
			}
			s = newServer(t, s.home)
			_, err := s.URL(t.Context())
			aside := filepath.Join(filepath.Dir(data), "damaged-"+filepath.Base(data))
			problem, ok := errors.AsType[*Error](err)
			if !ok || !strings.Contains(problem.Err.Error(), says) || !strings.Contains(problem.Hint, "mv '"+data+"' '"+aside+"' && compound-docs up") {
				t.Fatalf("error %v, want the remedy", err)
			}
			if err := os.Rename(data, aside); err != nil {
				t.Fatal(err)
			}
			if got := query(t, mustStart(t, s), "SELECT '1'"); got != "1" {
				t.Errorf("the server answers %q", got)
			}
		})
	}
}

// PostgreSQL refuses data that others may enter, so they are kept out again.
func TestServer_OpenFolder(t *testing.T) {
	t.Parallel()
	s := newServer(t, homeWithCluster(t))
	data := query(t, mustStart(t, s), "SHOW data_directory")
	if _, err := s.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(data, 0o755); err != nil {
		t.Fatal(err)
	}
	if got := query(t, mustStart(t, newServer(t, s.home)), "SELECT '1'"); got != "1" {
		t.Errorf("the server answers %q", got)
	}
}
