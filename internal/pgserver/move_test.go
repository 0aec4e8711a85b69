package pgserver

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// The programs of this machine stand for those of the next version too: what is tested
// is the way of the data, not PostgreSQL's own compatibility.
func TestServer_MovesToAnotherVersion(t *testing.T) {
	t.Parallel()
	for name, interrupted := range map[string]bool{"at once": false, "after one that was killed": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			testMove(t, interrupted)
		})
	}
}

func testMove(t *testing.T, interrupted bool) {
	t.Helper()
	s := newServer(t, newHome(t))
	url := mustStart(t, s)
	query(t, url, "CREATE EXTENSION vector")
	query(t, url, "CREATE TABLE kept (n int PRIMARY KEY, v halfvec(2))")
	query(t, url, "CREATE INDEX ON kept USING hnsw (v halfvec_cosine_ops)")
	query(t, url, "INSERT INTO kept SELECT n, format('[%s,1]', n)::halfvec FROM generate_series(1, 500) n")
	if _, err := s.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}

	p, err := findPlace(s.home)
	if err != nil {
		t.Fatal(err)
	}
	found, err := Find(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	before := found.Major()
	if interrupted {
		leaveServers(t, s, p, found)
	}
	found.PostgreSQL = strconv.Itoa(before+1) + ".0"
	cluster, err := s.prepare(t.Context(), p, found)
	if err != nil {
		t.Fatal(err)
	}
	if majors := p.majors(); !slices.Equal(majors, []int{before + 1}) {
		t.Errorf("versions %v are left, want the new one", majors)
	}
	if err := s.launch(t.Context(), p, cluster); err != nil {
		t.Fatal(err)
	}
	if got := query(t, url, "SELECT count(*) || ' ' || sum(n) || ' ' || max(v::text) FROM kept"); got != "500 125250 [99,1]" {
		t.Errorf("the table holds %s", got)
	}
	if got := query(t, url, "SELECT count(*)::text FROM pg_indexes WHERE tablename = 'kept'"); got != "2" {
		t.Errorf("the table has %s indexes", got)
	}
}

// leaveServers leaves both servers that a move has, as a process that is killed does.
func leaveServers(t *testing.T, s *Server, p place, found Installation) {
	t.Helper()
	old, unfinished := p.cluster(found.Major()), p.cluster(found.Major())
	old.port, unfinished.port = dumpPort, restorePort
	unfinished.Data = filepath.Join(p.folder, "new-LEFT")
	for _, c := range []*Cluster{&old, &unfinished} {
		c.Installation = found
	}
	err := makePrivate(unfinished.Data, p.account)
	if err == nil {
		err = unfinished.Init(t.Context(), s.initdb...)
	}
	for _, c := range []Cluster{old, unfinished} {
		if err == nil {
			err = s.launch(t.Context(), p, c)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	server, err := readPostmaster(unfinished.Data)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if exists(server.pid) {
			t.Error("a server of an interrupted move goes on")
		}
	})
}

func TestServer_VersionIsGone(t *testing.T) {
	t.Parallel()
	for _, major := range []int{9, 99} {
		t.Run(strconv.Itoa(major), func(t *testing.T) {
			t.Parallel()
			s := newServer(t, newHome(t))
			data := filepath.Join(s.home, "postgres", strconv.Itoa(major))
			if err := os.MkdirAll(data, 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(data, "PG_VERSION"), nil, 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := s.URL(t.Context())
			if problem := new(Error); !errors.As(err, &problem) || !strings.Contains(problem.Hint, data) ||
				!strings.Contains(problem.Hint, "install PostgreSQL "+strconv.Itoa(major)) {
				t.Errorf("error %v, want one that names the version and the folder", err)
			}
			if _, err := os.Stat(data); err != nil {
				t.Errorf("the data is gone: %v", err)
			}
		})
	}
}
