package db_test

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"github.com/compound-docs/compound-docs/db"
	"github.com/compound-docs/compound-docs/test/testenv"
)

func openDatabase(t *testing.T, databaseURL string) *db.Database {
	t.Helper()
	database := db.NewDatabase(testenv.Source(databaseURL), slog.New(slog.DiscardHandler))
	t.Cleanup(database.Close)
	return database
}

// addProject is a write with an effect that can be counted.
func addProject(ctx context.Context, database *db.Database, name string) error {
	return database.Write(ctx, "add project", func(q *db.Queries) error {
		_, err := q.ProjectUpsert(ctx, db.ProjectUpsertParams{Name: name})
		return err
	})
}

func projects(t *testing.T, databaseURL string) []string {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), databaseURL)
	must(t, err)
	rows, err := conn.Query(t.Context(), "SELECT name FROM projects ORDER BY name")
	must(t, err)
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	must(t, err)
	if err := conn.Close(t.Context()); err != nil {
		t.Error(err)
	}
	return names
}

// fill makes the pool hold as many connections as it may, all of them at rest.
func fill(t *testing.T, database *db.Database) {
	t.Helper()
	pool, err := database.Pool(t.Context())
	must(t, err)
	var acquired sync.WaitGroup
	all := make(chan struct{})
	for range pool.Config().MaxConns {
		conn, err := pool.Acquire(t.Context())
		must(t, err)
		acquired.Go(func() {
			<-all
			conn.Release()
		})
	}
	close(all)
	acquired.Wait()
}

// A pool hands out connections without a look at them while they are fresh: more
// of them than there are tries.
func TestDatabase_FirstCallAfterALossSucceeds(t *testing.T) {
	t.Parallel()
	databaseURL := testenv.DatabaseURL(t)
	database := openDatabase(t, databaseURL)
	admin, err := pgx.Connect(t.Context(), databaseURL)
	must(t, err)
	for range 5 {
		fill(t, database)
		if _, err := admin.Exec(t.Context(), `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
			WHERE datname = current_database() AND pid <> pg_backend_pid()`); err != nil {
			t.Fatal(err)
		}
		if err := addProject(t.Context(), database, "after"); err != nil {
			t.Errorf("the first call after the connections were lost: %v", err)
		}
	}
	if err := admin.Close(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestDatabase_WriteSurvivesALossInTheMiddle(t *testing.T) {
	t.Parallel()
	cluster := testenv.StartCluster(t)
	database := openDatabase(t, cluster.URL())
	attempts := 0
	err := database.Write(t.Context(), "add projects", func(q *db.Queries) error {
		attempts++
		if _, err := q.ProjectUpsert(t.Context(), db.ProjectUpsertParams{Name: "first"}); err != nil {
			return err
		}
		if attempts == 1 {
			cluster.Crash()
			cluster.Start()
		}
		_, err := q.ProjectUpsert(t.Context(), db.ProjectUpsertParams{Name: "second"})
		return err
	})
	must(t, err)
	if attempts != 2 {
		t.Errorf("%d attempts, want 2", attempts)
	}
	if diff := cmp.Diff([]string{"first", "second"}, projects(t, cluster.URL())); diff != "" {
		t.Errorf("projects (-want +got):\n%s", diff)
	}
}

// A call that waits while another opens the database can give up, and so can Close.
func TestDatabase_OpeningCanBeGivenUp(t *testing.T) {
	t.Parallel()
	listener := newSilentListener(t)
	database := openDatabase(t, listener.url())
	opening, stopOpening := context.WithCancel(t.Context())
	opened := make(chan error, 1)
	go func() {
		_, err := database.Pool(opening)
		opened <- err
	}()
	listener.waitForClient(t)
	waiting, stopWaiting := context.WithCancel(t.Context())
	stopWaiting()
	if err := addProject(waiting, database, "never"); !errors.Is(err, context.Canceled) {
		t.Errorf("a call that was given up: %v, want context canceled", err)
	}
	stopOpening()
	if err := <-opened; !errors.Is(err, context.Canceled) {
		t.Errorf("the call that opens: %v, want context canceled", err)
	}
}

// A call to a hanging server waits for a limited time. The next calls do not wait for its jammed
// connections.
func TestDatabase_GivesUpOnAServerThatSaysNothing(t *testing.T) {
	t.Parallel()
	testenv.Slow(t, "a circuit breaker or a lease has to end")
	proxy, throughProxy := testenv.NewDatabaseProxy(t, testenv.DatabaseURL(t))
	database := openDatabase(t, throughProxy)
	fill(t, database)
	proxy.Stall()
	err := database.Read(t.Context(), "find tenant", func(q *db.Queries) error {
		_, err := q.TenantFind(t.Context(), db.TenantFindParams{})
		return err
	})
	const want = "find tenant: the database does not answer in 15s; see whether another session holds a lock " +
		"(pg_stat_activity), PostgreSQL is overloaded or cut off, or a pooler has no session left " +
		"(put pool_max_conns=1 into every CDOCS_DATABASE_URL), and try again"
	if !db.IsKind(err, db.KindTransient) || err.Error() != want {
		t.Errorf("a call while the server hangs: %v, want %s", err, want)
	}
	proxy.Open()
	if err := addProject(t.Context(), database, "after"); err != nil {
		t.Error(err)
	}
}
