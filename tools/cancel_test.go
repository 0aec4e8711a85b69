package tools_test

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/compound-docs/compound-docs/test/fakeollama"
)

// start calls a tool. It returns a function that cancels the call, and the channel of
// its error.
func (c client) start(t *testing.T, params *mcp.CallToolParams) (cancel context.CancelFunc, ended <-chan error) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	done := make(chan error, 1)
	go func() {
		_, err := c.CallTool(ctx, params)
		done <- err
	}()
	return cancel, done
}

func wantCanceled(t *testing.T, ended <-chan error) {
	t.Helper()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("the call ends with %v, want its cancellation", err)
	}
}

// A cancelled search leaves no query running in PostgreSQL. The query waits for a lock
// that is not released, so only the cancellation can end it.
func TestCancel_StopsQuery(t *testing.T) {
	t.Parallel()
	for name, version := range protocolVersions() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := setup(t)
			c := connect(t, f.server, version)
			c.activate(t, copyProject(t, "testdata/project"))
			search := arguments{"query": "connection pool"}
			c.ask(t, "semantic_search", search) // from here on it searches, and asks nothing else
			locking, watching := dial(t, f.databaseURL), dial(t, f.databaseURL)
			lock, err := locking.Begin(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if _, err := lock.Exec(t.Context(), "LOCK TABLE documents, document_chunks IN ACCESS EXCLUSIVE MODE"); err != nil {
				t.Fatal(err)
			}
			cancel, ended := c.start(t, &mcp.CallToolParams{Name: "semantic_search", Arguments: search})
			waitForQueries(t, watching, 1)
			cancel()
			wantCanceled(t, ended)
			waitForQueries(t, watching, 0)

			if err := lock.Rollback(t.Context()); err != nil {
				t.Fatal(err)
			}
			if a := c.ask(t, "semantic_search", search); a.IsError {
				t.Errorf("the next search fails: %s", a.Text)
			}
		})
	}
}

func dial(t *testing.T, databaseURL string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), databaseURL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := conn.Close(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	})
	return conn
}

// waitForQueries waits until the given number of first queries of a search wait for a lock. Others
// may come from the background.
func waitForQueries(t *testing.T, conn *pgx.Conn, want int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		var waiting int
		err := conn.QueryRow(ctx, `SELECT count(*) FROM pg_stat_activity
			WHERE datname = current_database() AND state = 'active' AND wait_event_type = 'Lock'
				AND query LIKE '-- name: Search%'`).Scan(&waiting)
		if err != nil {
			t.Fatalf("%d queries wait, want %d: %v", waiting, want, err)
		}
		if waiting == want {
			return
		}
		<-tick.C
	}
}

// A cancelled call closes its connection to Ollama, which then stops computing.
func TestCancel_StopsOllama(t *testing.T) {
	t.Parallel()
	tests := map[string]fakeollama.Faults{
		"/api/embed": {Paths: []string{"/api/embed"}, Delay: time.Hour},
		"/api/chat":  {Stall: true}, // after the first word of the answer
	}
	for path, faults := range tests {
		for name, version := range protocolVersions() {
			t.Run(path+"/"+name, func(t *testing.T) {
				t.Parallel()
				f := setup(t)
				c, told := connectWatching(t, f.server, version)
				c.activate(t, copyProject(t, "testdata/project"))
				asked := make(chan struct{}, 1)
				f.fake.Observe(func(r *http.Request) {
					if r.URL.Path == path {
						asked <- struct{}{}
					}
				})
				f.fake.SetFaults(faults)
				ask := arguments{"query": question, "min_relevance_score": 0.5}
				cancel, ended := c.start(t, progressing("rag_query", ask, "answer"))
				<-asked
				if path == "/api/chat" {
					next(t, told)
				}
				cancel()
				wantCanceled(t, ended)
				for left := ""; left != path; {
					select {
					case left = <-f.fake.Left():
					case <-time.After(time.Minute):
						t.Fatal("Ollama goes on")
					}
				}

				f.fake.Observe(nil)
				f.fake.SetFaults(fakeollama.Faults{})
				if a := c.ask(t, "rag_query", ask); a.IsError {
					t.Errorf("the next question fails: %s", a.Text)
				}
			})
		}
	}
}
