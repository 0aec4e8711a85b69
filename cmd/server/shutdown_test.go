package main_test

import (
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/compound-docs/compound-docs/test/await"
	"github.com/compound-docs/compound-docs/test/fakeollama"
	"github.com/compound-docs/compound-docs/test/indexstate"
	"github.com/compound-docs/compound-docs/test/ragtest"
	"github.com/compound-docs/compound-docs/test/testenv"
)

// fixture is a project with its services.
type fixture struct {
	root        string
	fake        *fakeollama.Server
	database    *testenv.FaultProxy // between the server and its database
	pool        *pgxpool.Pool       // which does not go through it
	environment []string
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	databaseURL := ragtest.IndexURL(t)
	s := &fixture{root: newProject(t, manyDocuments()), fake: fakeollama.Start(t), pool: indexstate.OpenPool(t, databaseURL)}
	var throughProxy string
	s.database, throughProxy = testenv.NewDatabaseProxy(t, databaseURL)
	s.environment = []string{"CDOCS_DATABASE_URL=" + throughProxy, "CDOCS_OLLAMA_HOST=" + s.fake.URL(), "CDOCS_LOG_LEVEL=error"}
	return s
}

func count(t *testing.T, pool *pgxpool.Pool, query string, args ...any) (n int) {
	t.Helper()
	must(t, pool.QueryRow(t.Context(), query, args...).Scan(&n))
	return n
}

// leases is how many tenants of the fixture are indexed by a server.
func (s *fixture) leases(t *testing.T) int {
	t.Helper()
	return count(t, s.pool, "SELECT count(*) FROM tenants WHERE lease_until > now()")
}

func until(t *testing.T, what string, within time.Duration, holds func() bool) {
	t.Helper()
	await.Within(t, what, within, holds)
}

// situations bring a server into the middle of something.
func situations() map[string]func(t *testing.T, s *fixture) *process {
	embedding := func(s *fixture) bool { return len(s.fake.Requests("/api/embed")) > 0 }
	return map[string]func(t *testing.T, s *fixture) *process{
		"nothing to do": func(t *testing.T, s *fixture) *process {
			t.Helper()
			p := startProcess(t, s.environment...)
			p.activate(t, s.root)
			return p
		},
		"sync with a slow Ollama": func(t *testing.T, s *fixture) *process {
			t.Helper()
			s.fake.SetFaults(fakeollama.Faults{Paths: []string{"/api/embed"}, Delay: time.Hour})
			p := startProcess(t, s.environment...)
			p.begin(t, "activate_project", activation(s.root))
			until(t, "it embeds", time.Minute, func() bool { return embedding(s) })
			p.begin(t, "search_external_docs", map[string]any{"query": "words"})
			return p
		},
		"sync at full speed": func(t *testing.T, s *fixture) *process {
			t.Helper()
			p := startProcess(t, s.environment...)
			p.begin(t, "activate_project", activation(s.root))
			until(t, "a document is there", time.Minute, func() bool { return count(t, s.pool, "SELECT count(*) FROM documents") > 0 })
			return p
		},
		"write that waits for a lock": func(t *testing.T, s *fixture) *process {
			t.Helper()
			p := startProcess(t, s.environment...)
			tx, err := s.pool.Begin(t.Context())
			must(t, err)
			t.Cleanup(func() { _ = tx.Rollback(t.Context()) })
			if _, err := tx.Exec(t.Context(), "LOCK TABLE document_links IN EXCLUSIVE MODE"); err != nil {
				t.Fatal(err)
			}
			p.begin(t, "activate_project", activation(s.root))
			until(t, "a write waits", time.Minute, func() bool {
				return count(t, s.pool, "SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = 'document_links'::regclass") > 0
			})
			return p
		},
		"database that hangs": func(t *testing.T, s *fixture) *process {
			t.Helper()
			p := startProcess(t, s.environment...)
			p.activate(t, s.root)
			s.database.Stall()
			write(t, s.root, "docs/late.md", "# Late\n")
			p.begin(t, "search_external_docs", map[string]any{"query": "words"})
			p.begin(t, "activate_project", activation(s.root))
			return p
		},
		"database that has never answered": func(t *testing.T, s *fixture) *process {
			t.Helper()
			s.database.Stall()
			p := startProcess(t, s.environment...)
			p.begin(t, "activate_project", activation(s.root))
			p.begin(t, "activate_project", activation(s.root))
			return p
		},
		"everything away": func(t *testing.T, s *fixture) *process {
			t.Helper()
			p := startProcess(t, s.environment...)
			p.activate(t, s.root)
			s.database.Shut()
			s.fake.SetFaults(fakeollama.Faults{HangUp: true})
			write(t, s.root, "docs/late.md", "# Late\n")
			p.begin(t, "search_external_docs", map[string]any{"query": "words"})
			return p
		},
	}
}

func TestServe_EndsWhateverItIsDoing(t *testing.T) {
	t.Parallel()
	reference := newFixture(t)
	syncWhole(t, reference.root, reference.environment...)
	whole := map[string]bool{}
	for _, line := range withoutVectors(snapshot(t, reference.pool)) {
		whole[line] = true
	}
	for what, begin := range situations() {
		for how, end := range endings() {
			t.Run(what+", "+how, func(t *testing.T) {
				t.Parallel()
				if how != "EOF" {
					testenv.Slow(t, "a server is ended in more ways")
				}
				s := newFixture(t)
				p := begin(t, s)
				p.mustEnd(t, end)
				s.database.Shut()                                               // PostgreSQL cannot know before, if the proxy stalls
				if what != "database that hangs" && what != "everything away" { // then the lease ends by itself
					until(t, "the lease is free", time.Second, func() bool { return s.leases(t) == 0 })
				}
				for _, line := range withoutVectors(snapshot(t, s.pool)) {
					if !whole[line] && !strings.Contains(line, "late.md") {
						t.Errorf("a document is not whole: %s", line)
					}
				}
			})
		}
	}
}

// Another server does not wait until a connection times out.
func TestServe_HandsOverAtOnce(t *testing.T) {
	t.Parallel()
	for how, end := range endings() {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			s := newFixture(t)
			first, second := startProcess(t, s.environment...), startProcess(t, s.environment...)
			first.activate(t, s.root)
			second.activate(t, s.root)
			first.mustEnd(t, end)
			until(t, "the other server leads", 3*time.Second, func() bool { return s.leases(t) == 1 })
			write(t, s.root, "docs/late.md", "# Late\n\nAfter the hand-over.\n")
			until(t, "it indexes", time.Minute, func() bool {
				return count(t, s.pool, "SELECT count(*) FROM documents WHERE relative_path = 'docs/late.md'") == 1
			})
			second.mustEnd(t, end)
			until(t, "the lease is free", time.Second, func() bool { return s.leases(t) == 0 })
		})
	}
}
