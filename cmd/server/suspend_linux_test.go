package main_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/compound-docs/compound-docs/test/fakeollama"
	"github.com/compound-docs/compound-docs/test/indexstate"
	"github.com/compound-docs/compound-docs/test/ragtest"
	"github.com/compound-docs/compound-docs/test/testenv"
)

// suspension is three windows on one project. The first one indexes.
type suspension struct {
	root, databaseURL, ollama string
	fake                      *fakeollama.Server
	pool                      *pgxpool.Pool
	windows                   []*window
}

func newSuspension(t *testing.T) *suspension {
	t.Helper()
	s := &suspension{root: newProject(t, nil), fake: fakeollama.Start(t), databaseURL: ragtest.IndexURL(t)}
	for _, subject := range []string{"apples", "pears", "plums"} {
		s.save(t, subject, "Ripe "+subject)
	}
	s.ollama = "CDOCS_OLLAMA_HOST=" + s.fake.URL()
	for range 3 {
		w := openWindow(t, "CDOCS_DATABASE_URL="+s.databaseURL, s.ollama, "CDOCS_LOG_LEVEL=error")
		w.activate(t, s.root)
		s.windows = append(s.windows, w)
	}
	s.pool = indexstate.OpenPool(t, s.databaseURL)
	if leader := s.leader(t); leader != s.windows[0].pid() {
		t.Fatalf("process %d indexes, want the first, %d", leader, s.windows[0].pid())
	}
	return s
}

func (s *suspension) save(t *testing.T, name, text string) {
	t.Helper()
	write(t, s.root, promotable+name+".md", "---\ntitle: "+name+"\ndate: 2026-01-02\nsummary: s\nsignificance: correctness\n"+
		"problem_type: bug\nsymptoms: [it fails]\nroot_cause: a mistake\nsolution: correct it\n---\n\n"+text+".\n")
}

func (s *suspension) remove(t *testing.T, name string) {
	t.Helper()
	must(t, os.Remove(filepath.Join(s.root, promotable, name+".md")))
}

// leader is the process that indexes, and 0 for none.
func (s *suspension) leader(t *testing.T) (pid int) {
	t.Helper()
	return count(t, s.pool, `SELECT coalesce(max(split_part(holder, '@', 1)::int), 0) FROM tenants WHERE lease_until > now()`)
}

// suspend stops the first window, as Ctrl-Z does, and returns what continues it.
func (s *suspension) suspend(t *testing.T) (resume func()) {
	t.Helper()
	s.windows[0].signal(t, syscall.SIGSTOP)
	return func() { s.windows[0].signal(t, syscall.SIGCONT) }
}

// settled waits until every window finds exactly the files on disk, and fails the
// test if that takes too long.
func (s *suspension) settled(t *testing.T, windows []*window, want ...string) {
	t.Helper()
	var got []string
	for i, w := range windows {
		until(t, fmt.Sprintf("window %d finds %q and says that this is all, but %q", i, want, got), time.Minute, func() bool {
			answer := w.search(t)
			got = answer.titles()
			return answer.Index == nil && slices.Equal(got, want)
		})
	}
}

// equalToDisk compares the index with that of a server which begins with nothing.
func (s *suspension) equalToDisk(t *testing.T) {
	t.Helper()
	fresh := ragtest.IndexURL(t)
	syncWhole(t, s.root, "CDOCS_DATABASE_URL="+fresh, s.ollama)
	if diff := cmp.Diff(snapshot(t, indexstate.OpenPool(t, fresh)), snapshot(t, s.pool)); diff != "" {
		t.Errorf("index (-fresh +present):\n%s", diff)
	}
}

// A window that is suspended while it indexes is named by the others, and then one
// of them indexes. When it is continued it is one of the others.
func TestServe_SuspendedWindowIsReplaced(t *testing.T) {
	t.Parallel()
	testenv.Slow(t, "a circuit breaker or a lease has to end")
	s := newSuspension(t)
	resume := s.suspend(t)
	s.remove(t, "pears")
	s.save(t, "cherries", "Ripe cherries")
	until(t, "another window says who does not respond", time.Minute, func() bool {
		answer := s.windows[1].search(t)
		return answer.Index != nil && strings.Contains(answer.Index.Waiting, fmt.Sprintf("process %d on ", s.windows[0].pid())) &&
			strings.Contains(answer.Index.Waiting, "has not responded since")
	})
	s.settled(t, s.windows[1:], "apples", "cherries", "plums")
	if leader := s.leader(t); leader != s.windows[1].pid() && leader != s.windows[2].pid() {
		t.Errorf("process %d indexes, want one of the windows that go on", leader)
	}
	s.save(t, "dates", "Ripe dates")
	s.settled(t, s.windows[1:], "apples", "cherries", "dates", "plums")
	resume()
	s.settled(t, s.windows, "apples", "cherries", "dates", "plums")
	s.remove(t, "apples")
	s.settled(t, s.windows, "cherries", "dates", "plums")
	s.equalToDisk(t)
}

// A window that is suspended in the middle of a batch, between what it has read
// and what it writes, or within its transaction, neither holds the others up nor
// writes what is old when it is continued.
func TestServe_SuspendedInABatch(t *testing.T) {
	t.Parallel()
	testenv.Slow(t, "a circuit breaker or a lease has to end")
	situations := map[string]func(t *testing.T, s *suspension) (release func()){
		"while embedding": func(t *testing.T, s *suspension) func() {
			t.Helper()
			before := len(s.fake.Requests("/api/embed"))
			s.fake.SetFaults(fakeollama.Faults{Paths: []string{"/api/embed"}, Times: 1, Delay: 3 * time.Second})
			s.save(t, "pears", "Rotten pears, which nobody must find")
			until(t, "the batch is at Ollama", time.Minute, func() bool { return len(s.fake.Requests("/api/embed")) > before })
			return func() {}
		},
		"in a transaction": func(t *testing.T, s *suspension) func() {
			t.Helper()
			tx, err := s.pool.Begin(t.Context())
			must(t, err)
			if _, err := tx.Exec(t.Context(), `SELECT FROM documents WHERE relative_path LIKE '%pears.md' FOR UPDATE`); err != nil {
				t.Fatal(err)
			}
			s.save(t, "pears", "Rotten pears, which nobody must find")
			until(t, "the batch waits in its transaction", time.Minute, func() bool {
				return count(t, s.pool, `SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'
					AND datname = current_database() AND application_name LIKE $1`, fmt.Sprintf("compound-docs %d@%%", s.windows[0].pid())) > 0
			})
			return func() {
				if err := tx.Rollback(t.Context()); err != nil {
					t.Error(err)
				}
			}
		},
	}
	for name, bring := range situations {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSuspension(t)
			release := bring(t, s)
			resume := s.suspend(t)
			release()
			// The suspended window has read an old state.
			s.save(t, "pears", "Ripe pears")
			until(t, "another window indexes", time.Minute, func() bool {
				leader := s.leader(t)
				return leader != 0 && leader != s.windows[0].pid()
			})
			s.settled(t, s.windows[1:], "apples", "pears", "plums")
			s.equalToDisk(t)
			resume()
			s.settled(t, s.windows, "apples", "pears", "plums")
			s.save(t, "quinces", "Ripe quinces")
			s.settled(t, s.windows, "apples", "pears", "plums", "quinces")
			s.equalToDisk(t)
		})
	}
}

// A server that is killed is replaced when its lease ends, and not before.
func TestServe_KilledWindowIsReplaced(t *testing.T) {
	t.Parallel()
	testenv.Slow(t, "a circuit breaker or a lease has to end")
	s := &suspension{root: newProject(t, nil), fake: fakeollama.Start(t), databaseURL: ragtest.IndexURL(t)}
	s.save(t, "apples", "Ripe apples")
	environment := []string{"CDOCS_DATABASE_URL=" + s.databaseURL, "CDOCS_OLLAMA_HOST=" + s.fake.URL(), "CDOCS_LOG_LEVEL=error"}
	first, second := openWindow(t, environment...), openWindow(t, environment...)
	first.activate(t, s.root)
	second.activate(t, s.root)
	s.pool = indexstate.OpenPool(t, s.databaseURL)
	if leader := s.leader(t); leader != first.pid() {
		t.Fatalf("process %d indexes, want the first window", leader)
	}
	first.killed = true
	first.session.Kill()
	var ends, taken time.Time
	must(t, s.pool.QueryRow(t.Context(), "SELECT lease_until FROM tenants").Scan(&ends))
	until(t, "the other window indexes", time.Minute, func() bool { return s.leader(t) == second.pid() })
	must(t, s.pool.QueryRow(t.Context(), "SELECT lease_until - interval '15 s' FROM tenants").Scan(&taken))
	if taken.Before(ends) || taken.After(ends.Add(10*time.Second)) {
		t.Errorf("the lease was taken at %v, want it soon after it ended, at %v", taken, ends)
	}
	s.save(t, "pears", "Ripe pears")
	s.settled(t, []*window{second}, "apples", "pears")
}
