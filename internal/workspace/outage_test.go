package workspace_test

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"github.com/compound-docs/compound-docs/internal/workspace"
	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/rag/apierror"
	"github.com/compound-docs/compound-docs/test/testenv"
)

// outage is how long a service stays away: CDOCS_TEST_OUTAGE, or a short time.
func outage(t *testing.T) time.Duration {
	t.Helper()
	text := os.Getenv("CDOCS_TEST_OUTAGE")
	if text == "" {
		return 2 * time.Second
	}
	duration, err := time.ParseDuration(text)
	if err != nil {
		t.Fatal("CDOCS_TEST_OUTAGE:", err)
	}
	return duration
}

// fruit are the documents that the tests of outages begin with.
func fruit() map[string]string {
	return map[string]string{
		docs + "kept.md":    problem("Kept", "About apples."),
		docs + "edited.md":  problem("Edited", "About bananas."),
		docs + "removed.md": problem("Removed", "About cherries."),
	}
}

// changeFiles edits, adds and removes a document. round distinguishes the calls.
func (f *fixture) changeFiles(round string) {
	f.Put(docs+"edited.md", problem("Edited", "About dates, "+round+"."))
	f.Put(docs+"new/"+round+".md", problem("New", "About elderberries, "+round+"."))
	f.Remove(docs + "removed.md")
}

// inIndex returns what onDisk does, of the index. A document that is not whole has
// no hash.
func (f *fixture) inIndex(ctx context.Context) ([]string, error) {
	return f.column(ctx, `
		SELECT d.relative_path || ' ' || CASE WHEN count(c.*) > 0 AND count(c.*) = count(p.hash) THEN encode(d.content_hash, 'hex') ELSE '' END
		FROM documents d
			LEFT JOIN document_chunks c ON c.project_id = d.project_id AND c.document_id = d.id
			LEFT JOIN passages p ON p.collection = c.collection AND p.project_id = c.project_id AND p.hash = c.passage_hash
		GROUP BY d.project_id, d.id ORDER BY 1`)
}

// hasOneIndexer waits until a server holds the lease of the tenant: after an outage one takes it. It is
// never held by two.
func (f *fixture) hasOneIndexer(t *testing.T) {
	t.Helper()
	eventually(t, "one server indexes", func() bool {
		held, err := f.column(t.Context(), "SELECT holder FROM tenants WHERE lease_until > now()")
		if err != nil || len(held) > 1 {
			t.Fatalf("%d servers index, want one: %v", len(held), err)
		}
		return len(held) == 1
	})
}

// column asks over a new connection, which an outage cannot have broken.
func (f *fixture) column(ctx context.Context, query string) ([]string, error) {
	conn, err := pgx.Connect(ctx, f.databaseURL)
	if err != nil {
		return nil, err
	}
	defer func() { _ = conn.Close(ctx) }()
	rows, err := conn.Query(ctx, query)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

// recovers waits until the index equals the disk, and every server says so.
func (f *fixture) recovers(t *testing.T, servers ...*workspace.Workspace) {
	t.Helper()
	want := f.onDisk(t)
	deadline := time.After(2 * time.Minute)
	for {
		got, err := f.inIndex(t.Context())
		diff := cmp.Diff(want, got)
		current := true
		for _, s := range servers {
			active, activeErr := s.Active(t.Context())
			if activeErr != nil {
				current, err = false, activeErr
			} else if status := active.Status(); !status.Current() {
				current, err = false, fmt.Errorf("status %+v", status)
			}
		}
		if diff == "" && current {
			return
		}
		select {
		case <-deadline:
			t.Fatalf("the index has not recovered: %v; documents (-disk +index):\n%s", err, diff)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// search searches for a text that was never embedded, and returns its error.
func search(t *testing.T, s *workspace.Workspace, round any) *apierror.Error {
	t.Helper()
	active, err := s.Active(t.Context())
	if err != nil {
		return apierror.AsError(err)
	}
	_, err = s.Searcher.Search(t.Context(), active.Compounding(), rag.Query{
		Text: fmt.Sprint("apples ", round), Limit: 5, Mode: rag.Vector,
	})
	if err != nil {
		return apierror.AsError(err)
	}
	return nil
}

func TestOutage_Database(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		end  func(*testenv.Cluster)
		away bool
	}{
		{"restarted", (*testenv.Cluster).Stop, false},
		{"crashed", (*testenv.Cluster).Crash, false},
		{"stopped for a while", (*testenv.Cluster).Stop, true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			cluster := testenv.StartCluster(t)
			f := setupOn(t, cluster.URL(), fruit())
			first, second := f.server(t), f.server(t)
			f.activate(t, first, "main")
			f.activate(t, second, "main")
			f.recovers(t, first, second)

			f.changeFiles("before")
			test.end(cluster)
			f.changeFiles("meanwhile")
			if test.away {
				for end := time.Now().Add(outage(t)); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
					if err := search(t, first, "away"); err == nil || err.Code != apierror.DatabaseError {
						t.Fatalf("a search while the database is away: %v, want DATABASE_ERROR", err)
					}
				}
				for _, s := range []*workspace.Workspace{first, second} {
					active, err := s.Active(t.Context())
					f.Must(err)
					eventually(t, "it says what indexing waits for", func() bool {
						status := active.Status()
						return strings.Contains(status.Waiting, "no PostgreSQL server answers") && !status.Current()
					})
				}
			}
			cluster.Start()
			f.changeFiles("after")
			f.recovers(t, first, second)
			if err := search(t, second, "after"); err != nil {
				t.Errorf("a search after the outage: %v", err)
			}

			f.hasOneIndexer(t)
			f.fake.Forget()
			f.Put(docs+"once.md", problem("Once", "About figs."))
			f.recovers(t, first, second)
			texts := slices.DeleteFunc(f.fake.Texts(), func(text string) bool { return !strings.Contains(text, "figs") })
			if diff := cmp.Diff([]string{"Once\n\nAbout figs."}, texts); diff != "" {
				t.Errorf("embedded (-want +got):\n%s", diff)
			}
		})
	}
}

// The transaction that writes documents has written some of its rows.
func TestOutage_DatabaseCrashesDuringAWrite(t *testing.T) {
	t.Parallel()
	cluster := testenv.StartCluster(t)
	f := setupOn(t, cluster.URL(), fruit())
	s := f.server(t)
	f.activate(t, s, "main")
	blocker, err := pgx.Connect(t.Context(), f.databaseURL)
	f.Must(err)
	// A connection that nothing refers to any more is closed, and its lock gone.
	t.Cleanup(func() { _ = blocker.Close(context.WithoutCancel(t.Context())) })
	if _, err := blocker.Exec(t.Context(), "BEGIN; LOCK TABLE document_links IN EXCLUSIVE MODE"); err != nil {
		t.Fatal(err)
	}
	f.changeFiles("blocked")
	eventually(t, "a write has got as far as the links", func() bool {
		waiting, err := f.column(t.Context(), `SELECT l.pid::text FROM pg_locks l WHERE NOT l.granted AND l.relation = 'document_links'::regclass
			AND EXISTS (SELECT FROM pg_locks w WHERE w.pid = l.pid AND w.relation = 'document_chunks'::regclass AND w.mode = 'RowExclusiveLock')`)
		return err == nil && len(waiting) == 1
	})
	cluster.Crash()
	cluster.Start()
	f.recovers(t, s)
	f.hasOneIndexer(t)
}
