package workspace_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"github.com/compound-docs/compound-docs/db"
	"github.com/compound-docs/compound-docs/internal/workspace"
	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/rag/ollama"
	"github.com/compound-docs/compound-docs/test/fakeollama"
	"github.com/compound-docs/compound-docs/test/testenv"
)

// outage is how long what is needed stays away: CDOCS_TEST_OUTAGE, or little.
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

// setupOn is setup on a database that the test may stop.
func setupOn(t *testing.T, databaseURL string) *fixture {
	t.Helper()
	f := &fixture{root: t.TempDir(), databaseURL: databaseURL, fake: fakeollama.Start(t)}
	f.write(t, ".csharp-compounding-docs/config.json", `{"project_name": "test-project"}`)
	f.write(t, docs+"kept.md", problem("Kept", "About apples."))
	f.write(t, docs+"edited.md", problem("Edited", "About bananas."))
	f.write(t, docs+"removed.md", problem("Removed", "About cherries."))
	return f
}

// changeFiles makes a change of every kind. round tells one call from another.
func (f *fixture) changeFiles(t *testing.T, round string) {
	t.Helper()
	f.write(t, docs+"edited.md", problem("Edited", "About dates, "+round+"."))
	f.write(t, docs+"new/"+round+".md", problem("New", "About elderberries, "+round+"."))
	if err := os.RemoveAll(filepath.Join(f.root, docs, "removed.md")); err != nil {
		t.Fatal(err)
	}
}

// onDisk returns the documents with the hashes of their files, one a line.
func (f *fixture) onDisk(t *testing.T) []string {
	t.Helper()
	lines := []string{}
	err := filepath.WalkDir(filepath.Join(f.root, docs), func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(f.root, path)
		hash := sha256.Sum256(content)
		lines = append(lines, filepath.ToSlash(name)+" "+hex.EncodeToString(hash[:]))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(lines)
	return lines
}

// inIndex returns the same of the index; a document that is not whole has a gap
// for its hash.
func (f *fixture) inIndex(ctx context.Context) ([]string, error) {
	return f.column(ctx, `
		SELECT d.relative_path || ' ' || CASE WHEN count(c.*) > 0 AND count(c.*) = count(p.hash) THEN encode(d.content_hash, 'hex') ELSE '' END
		FROM documents d
			LEFT JOIN document_chunks c ON c.project_id = d.project_id AND c.document_id = d.id
			LEFT JOIN passages p ON p.collection = c.collection AND p.project_id = c.project_id AND p.hash = c.passage_hash
		GROUP BY d.project_id, d.id ORDER BY 1`)
}

// indexers is how many servers hold the lease of a tenant.
func (f *fixture) indexers(t *testing.T) int {
	t.Helper()
	pids, err := f.column(t.Context(), fmt.Sprintf(`SELECT pid::text FROM pg_locks WHERE locktype = 'advisory' AND classid = %d AND granted
		AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`, db.LockIndexer))
	if err != nil {
		t.Fatal(err)
	}
	return len(pids)
}

// column asks over a connection of its own, which an outage cannot have broken.
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
			} else if status := active.Status(t.Context()); !status.Current() {
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
func search(t *testing.T, s *workspace.Workspace, round any) *rag.Error {
	t.Helper()
	active, err := s.Active(t.Context())
	if err != nil {
		return rag.AsError(err)
	}
	_, err = s.Searcher().Search(t.Context(), active.Compounding(), rag.Query{Text: fmt.Sprint("apples ", round), Limit: 5})
	if err != nil {
		return rag.AsError(err)
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
			f := setupOn(t, cluster.URL())
			first, second := f.server(t), f.server(t)
			f.activate(t, first, "main")
			f.activate(t, second, "main")
			f.recovers(t, first, second)

			f.changeFiles(t, "before")
			test.end(cluster)
			f.changeFiles(t, "meanwhile")
			if test.away {
				for end := time.Now().Add(outage(t)); time.Now().Before(end); {
					if err := search(t, first, "away"); err == nil || err.Code != rag.DatabaseError {
						t.Fatalf("a search while the database is away: %v, want DATABASE_ERROR", err)
					}
				}
				for _, s := range []*workspace.Workspace{first, second} {
					active, err := s.Active(t.Context())
					if err != nil {
						t.Fatal(err)
					}
					eventually(t, "it says what indexing waits for", func() bool {
						status := active.Status(t.Context())
						return strings.Contains(status.Waiting, "no PostgreSQL server answers") && !status.Current()
					})
				}
			}
			cluster.Start()
			f.changeFiles(t, "after")
			f.recovers(t, first, second)
			if err := search(t, second, "after"); err != nil {
				t.Errorf("a search after the outage: %v", err)
			}

			if indexers := f.indexers(t); indexers != 1 {
				t.Errorf("%d servers index, want one", indexers)
			}
			f.fake.Forget()
			f.write(t, docs+"once.md", problem("Once", "About figs."))
			f.recovers(t, first, second)
			if diff := cmp.Diff([]string{"Once\n\nAbout figs."}, f.fake.Texts()); diff != "" {
				t.Errorf("embedded (-want +got):\n%s", diff)
			}
		})
	}
}

// The transaction that writes documents has written some of its rows.
func TestOutage_DatabaseCrashesDuringAWrite(t *testing.T) {
	t.Parallel()
	cluster := testenv.StartCluster(t)
	f := setupOn(t, cluster.URL())
	s := f.server(t)
	f.activate(t, s, "main")
	blocker, err := pgx.Connect(t.Context(), f.databaseURL)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := blocker.Exec(t.Context(), "BEGIN; LOCK TABLE document_links IN EXCLUSIVE MODE"); err != nil {
		t.Fatal(err)
	}
	f.changeFiles(t, "blocked")
	eventually(t, "a write has got as far as the links", func() bool {
		waiting, err := f.column(t.Context(), `SELECT l.pid::text FROM pg_locks l WHERE NOT l.granted AND l.relation = 'document_links'::regclass
			AND EXISTS (SELECT FROM pg_locks w WHERE w.pid = l.pid AND w.relation = 'document_chunks'::regclass AND w.mode = 'RowExclusiveLock')`)
		return err == nil && len(waiting) == 1
	})
	cluster.Crash()
	cluster.Start()
	f.recovers(t, s)
	if indexers := f.indexers(t); indexers != 1 {
		t.Errorf("%d servers index, want one", indexers)
	}
}

// A server that no longer hears of the database stops to index, since another may
// have begun to.
func TestOutage_AServerThatIsCutOffHandsOver(t *testing.T) {
	t.Parallel()
	cluster := testenv.StartCluster(t)
	f := setupOn(t, cluster.URL())
	proxy, throughProxy := testenv.NewDatabaseProxy(t, f.databaseURL)
	cutOff := f.serverWith(t, throughProxy, ollama.Config{Hosts: []string{f.fake.URL()}, RetryDelay: time.Millisecond})
	f.activate(t, cutOff, "main")
	other := f.server(t)
	active := f.activate(t, other, "main")

	proxy.Stall()
	f.changeFiles(t, "cut-off")
	// The lease is PostgreSQL's to give away, once it misses the server.
	proxy.Shut()
	eventually(t, "the other server indexes", func() bool {
		status := active.Status(t.Context())
		got, err := f.inIndex(t.Context())
		return err == nil && cmp.Equal(f.onDisk(t), got) && status.Current()
	})
	if err := proxy.Open(); err != nil {
		t.Fatal(err)
	}
	f.changeFiles(t, "after")
	f.recovers(t, cutOff, other)
	if indexers := f.indexers(t); indexers != 1 {
		t.Errorf("%d servers index, want one", indexers)
	}
}

func TestOutage_Ollama(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		faults fakeollama.Faults
		shut   bool
		// waiting is what the status says, and details those of a search's error.
		waiting string
		details []string
	}{
		{name: "stopped", shut: true, waiting: "start Ollama", details: []string{"circuit_state", "retry_after_seconds"}},
		{
			name: "hangs up", faults: fakeollama.Faults{HangUp: true},
			waiting: "the connection broke", details: []string{"circuit_state", "retry_after_seconds"},
		},
		{
			name: "answers 500", faults: fakeollama.Faults{Status: http.StatusInternalServerError, Message: "out of memory"},
			waiting: "out of memory", details: []string{"circuit_state", "retry_after_seconds"},
		},
		{
			name: "answers garbage", faults: fakeollama.Faults{Body: "<html>It works!</html>"},
			waiting: "makes no sense", details: []string{"circuit_state", "retry_after_seconds"},
		},
		{
			name: "answers too little", faults: fakeollama.Faults{Missing: 1},
			waiting: "makes no sense", details: []string{"circuit_state", "retry_after_seconds"},
		},
		{name: "wrong dimensions", faults: fakeollama.Faults{Dimensions: 768}, waiting: "768 dimensions", details: nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			f := setupOn(t, testenv.DatabaseURL(t))
			target, err := url.Parse(f.fake.URL())
			if err != nil {
				t.Fatal(err)
			}
			proxy := testenv.NewFaultProxy(t, target.Host)
			s := f.serverWith(t, f.databaseURL, ollama.Config{
				Hosts: []string{"http://" + proxy.Address()}, RetryDelay: time.Millisecond,
				Breaker: ollama.BreakerConfig{OpenFor: time.Second},
			})
			active := f.activate(t, s, "main")
			f.recovers(t, s)
			if test.shut {
				proxy.Shut()
			}
			f.fake.SetFaults(test.faults)
			f.changeFiles(t, "meanwhile")
			eventually(t, "it says how far behind the index is, and why", func() bool {
				status := active.Status(t.Context())
				return status.Pending() > 0 && strings.Contains(status.Waiting, test.waiting)
			})
			// The document that was edited is as little answered from as the one that is gone.
			held, err := f.column(t.Context(), `SELECT relative_path FROM documents`)
			if err != nil || !cmp.Equal([]string{docs + "kept.md"}, held) {
				t.Errorf("while files cannot be embedded the index holds %v (%v), want the one that has not changed", held, err)
			}
			for end := time.Now().Add(outage(t)); time.Now().Before(end); {
				failure := search(t, s, time.Now())
				if failure == nil || failure.Code != rag.EmbeddingServiceError {
					t.Fatalf("a search meanwhile: %v, want EMBEDDING_SERVICE_ERROR", failure)
				}
				for _, detail := range test.details {
					if failure.Details[detail] == nil {
						t.Fatalf("details %v lack %s", failure.Details, detail)
					}
				}
			}
			f.changeFiles(t, "later")
			if err := proxy.Open(); err != nil {
				t.Fatal(err)
			}
			f.fake.SetFaults(fakeollama.Faults{})
			f.recovers(t, s)
			if failure := search(t, s, "after"); failure != nil {
				t.Errorf("a search after it: %v", failure)
			}
		})
	}
}

func TestOutage_CircuitStates(t *testing.T) {
	t.Parallel()
	f := setupOn(t, testenv.DatabaseURL(t))
	const openFor = 300 * time.Millisecond
	s := f.serverWith(t, f.databaseURL, ollama.Config{
		Hosts: []string{f.fake.URL()}, Tries: 1, RetryDelay: time.Millisecond, Breaker: ollama.BreakerConfig{OpenFor: openFor},
	})
	f.activate(t, s, "main")
	f.recovers(t, s)
	f.fake.SetFaults(fakeollama.Faults{Status: http.StatusServiceUnavailable, Message: "busy"})
	expect := func(what, state string) {
		t.Helper()
		eventually(t, what, func() bool {
			failure := search(t, s, time.Now())
			if failure == nil || failure.Code != rag.EmbeddingServiceError {
				t.Fatalf("%s: %v, want EMBEDDING_SERVICE_ERROR", what, failure)
			}
			if seconds, ok := failure.Details["retry_after_seconds"].(float64); !ok || seconds < 1 {
				t.Fatalf("%s: details %v, want a time to wait", what, failure.Details)
			}
			return failure.Details["circuit_state"] == state
		})
	}
	expect("the first failures leave the circuit closed", "closed")
	expect("more of them open it", "open")

	// The one call that is let through is held up.
	held, release := make(chan struct{}), make(chan struct{})
	first := make(chan struct{}, 1)
	first <- struct{}{}
	f.fake.Observe(func(*http.Request) {
		select {
		case <-first:
			close(held)
			<-release
		default:
		}
	})
	tried := make(chan struct{})
	go func() {
		defer close(tried)
		for {
			_ = search(t, s, "trial")
			select {
			case <-held:
				return
			default:
			}
		}
	}()
	<-held
	expect("meanwhile others are told so", "half-open")
	f.fake.SetFaults(fakeollama.Faults{})
	close(release)
	<-tried
	eventually(t, "the circuit closes and searches succeed", func() bool { return search(t, s, time.Now()) == nil })
}

// A slow Ollama delays, and does no more than that.
func TestOutage_SlowOllama(t *testing.T) {
	t.Parallel()
	delay := min(outage(t)/4, 10*time.Second)
	f := setupOn(t, testenv.DatabaseURL(t))
	s, follower := f.server(t), f.server(t)
	active := f.activate(t, s, "main")
	f.activate(t, follower, "main")
	f.recovers(t, s, follower)
	f.fake.SetFaults(fakeollama.Faults{Delay: delay})
	f.changeFiles(t, "slowly")
	eventually(t, "the changes are pending", func() bool { return active.Status(t.Context()).Pending() > 0 })
	if status := active.Status(t.Context()); status.Waiting != "" {
		t.Errorf("status %+v: indexing does not wait, it is slow", status)
	}
	if failure := search(t, follower, "slowly"); failure != nil {
		t.Errorf("a search meanwhile: %v", failure)
	}
	f.recovers(t, s, follower)
	if indexers := f.indexers(t); indexers != 1 {
		t.Errorf("%d servers index, want one", indexers)
	}
}
