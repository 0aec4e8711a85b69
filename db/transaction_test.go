package db_test

import (
	"encoding/binary"
	"errors"
	"io"
	"log/slog"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"github.com/compound-docs/compound-docs/db"
	"github.com/compound-docs/compound-docs/test/testenv"
)

// withProject returns a database with one project, and its id.
func withProject(t *testing.T, url string) (database *db.Database, project int32) {
	t.Helper()
	database = db.NewDatabase(testenv.Source(url), slog.New(slog.DiscardHandler))
	t.Cleanup(database.Close)
	err := database.Write(t.Context(), "register", func(q *db.Queries) (err error) {
		project, err = q.ProjectUpsert(t.Context(), db.ProjectUpsertParams{Name: "project"})
		return err
	})
	must(t, err)
	return database, project
}

func register(t *testing.T, q *db.Queries, project int32, branch string) (id int32, err error) {
	t.Helper()
	row, err := q.TenantUpsert(t.Context(), db.TenantUpsertParams{ProjectID: project, BranchName: branch})
	return row.ID, err
}

// branches returns those of the project's checkouts.
func branches(t *testing.T, database *db.Database, project int32) []string {
	t.Helper()
	pool, err := database.Pool(t.Context())
	must(t, err)
	rows, _ := pool.Query(t.Context(), "SELECT branch_name FROM tenants WHERE project_id = $1 ORDER BY branch_name", project)
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	must(t, err)
	return names
}

// writeNoJSON makes a statement that PostgreSQL refuses.
func writeNoJSON(t *testing.T, q *db.Queries, project int32) error {
	t.Helper()
	return q.TenantSetSyncStatus(t.Context(), db.TenantSetSyncStatusParams{ProjectID: project, SyncStatus: "no JSON"})
}

// A Write is stored whole, or not at all.
func TestDatabase_WriteIsWhole(t *testing.T) {
	t.Parallel()
	errOwn := errors.New("an error of the function")
	for name, test := range map[string]struct {
		write func(t *testing.T, q *db.Queries, project int32) error
		want  func(err error) bool
	}{
		"committed": {func(t *testing.T, q *db.Queries, project int32) error {
			t.Helper()
			_, err := register(t, q, project, "main")
			return err
		}, func(err error) bool { return err == nil }},
		"committed with a batch": {func(t *testing.T, q *db.Queries, project int32) error {
			t.Helper()
			id, err := register(t, q, project, "main")
			return errors.Join(err, db.Batch(q, func(q *db.Queries) error {
				return q.TenantSeen(t.Context(), db.TenantSeenParams{ProjectID: project, ID: id})
			}))
		}, func(err error) bool { return err == nil }},
		"refused by the function": {func(t *testing.T, q *db.Queries, project int32) error {
			t.Helper()
			_, err := register(t, q, project, "main")
			return errors.Join(err, errOwn)
		}, func(err error) bool { return errors.Is(err, errOwn) }},
		"refused before anything is sent": {func(*testing.T, *db.Queries, int32) error {
			return errOwn
		}, func(err error) bool { return errors.Is(err, errOwn) }},
		"refused by the server": {func(t *testing.T, q *db.Queries, project int32) error {
			t.Helper()
			if _, err := register(t, q, project, "main"); err != nil {
				return err
			}
			_, err := register(t, q, project+1, "of no project")
			return err
		}, func(err error) bool { return db.IsKind(err, db.KindData) }},
		"refused by the server, which the function ignores": {func(t *testing.T, q *db.Queries, project int32) error {
			t.Helper()
			if _, err := register(t, q, project, "main"); err != nil {
				return err
			}
			if _, err := register(t, q, project+1, "of no project"); err == nil {
				t.Error("a tenant of no project was registered")
			}
			return nil
		}, func(err error) bool { return db.IsKind(err, db.KindData) }},
		"a batch is refused": {func(t *testing.T, q *db.Queries, project int32) error {
			t.Helper()
			_, err := register(t, q, project, "main")
			return errors.Join(err, db.Batch(q, func(q *db.Queries) error { return writeNoJSON(t, q, project) }))
		}, func(err error) bool { return db.IsKind(err, db.KindData) }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			database, project := withProject(t, testenv.IndexURL(t))
			err := database.Write(t.Context(), "write", func(q *db.Queries) error { return test.write(t, q, project) })
			if !test.want(err) {
				t.Errorf("the error is %v", err)
			}
			want := []string{}
			if err == nil {
				want = append(want, "main")
			}
			pool, poolErr := database.Pool(t.Context())
			if poolErr != nil {
				t.Fatal(poolErr)
			}
			connections := pool.Stat().NewConnsCount()
			if diff := cmp.Diff(want, branches(t, database, project)); diff != "" {
				t.Errorf("branches (-want +got):\n%s", diff)
			}
			if opened := pool.Stat().NewConnsCount() - connections; opened != 0 {
				t.Error("the connection was of no use afterwards")
			}
		})
	}
}

// A batch is stored whole, or not at all.
func TestDatabase_WriteBatchIsWhole(t *testing.T) {
	t.Parallel()
	database, project := withProject(t, testenv.IndexURL(t))
	err := database.Write(t.Context(), "register", func(q *db.Queries) error {
		_, err := register(t, q, project, "main")
		return err
	})
	must(t, err)
	for _, refused := range []bool{true, false} {
		err := database.WriteBatch(t.Context(), "delete", func(q *db.Queries) error {
			deleted := errors.Join(q.TenantMarkDeleted(t.Context(), db.TenantMarkDeletedParams{ProjectID: project}),
				q.TenantDeleteEmpty(t.Context(), db.TenantDeleteEmptyParams{ProjectID: project}))
			if !refused {
				return deleted
			}
			return errors.Join(deleted, writeNoJSON(t, q, project))
		})
		if db.IsKind(err, db.KindData) != refused || len(branches(t, database, project)) == 1 != refused {
			t.Errorf("a batch that is refused %t: %v, with branches %v", refused, err, branches(t, database, project))
		}
	}
}

// roundTrips counts how often a client waits for the server.
type roundTrips struct {
	mu    sync.Mutex
	count int
}

// tap reads what a client sends. It looks at the type of each message only: decoding a
// response to SCRAM needs the server's half of the conversation. A message is counted before it is read to its end,
// because only then the server gets it.
func (r *roundTrips) tap() io.WriteCloser {
	read, written := io.Pipe()
	go func() { _ = read.CloseWithError(r.follow(read)) }()
	return written
}

func (r *roundTrips) follow(sent io.Reader) error {
	kind := make([]byte, 1)
	for startup := true; ; startup = false {
		if !startup { // only the first message of a connection has no type
			if _, err := io.ReadFull(sent, kind); err != nil {
				return err
			}
		}
		if kind[0] == 'S' || kind[0] == 'Q' { // Sync and Query
			r.mu.Lock()
			r.count++
			r.mu.Unlock()
		}
		var size uint32
		if err := binary.Read(sent, binary.BigEndian, &size); err != nil {
			return err
		}
		if _, err := io.CopyN(io.Discard, sent, int64(size)-4); err != nil {
			return err
		}
	}
}

func (r *roundTrips) taken() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	count := r.count
	r.count = 0
	return count
}

// A write waits once for each query and each batch, and for its end.
func TestDatabase_RoundTrips(t *testing.T) {
	t.Parallel()
	trips := &roundTrips{}
	relay, url, err := testenv.StartDatabaseRelay(testenv.IndexURL(t), trips.tap)
	must(t, err)
	t.Cleanup(relay.Close)
	database, project := withProject(t, url)
	seen := func(q *db.Queries, id int32) error {
		return q.TenantSeen(t.Context(), db.TenantSeenParams{ProjectID: project, ID: id})
	}
	for _, test := range []struct {
		name string
		run  func() error
		want int
	}{
		{"a read", func() error {
			_, err := db.ReadOne(t.Context(), database, "look", (*db.Queries).TenantCount, db.TenantCountParams{ProjectID: project})
			return err
		}, 1},
		{"a write of a batch", func() error {
			return database.WriteBatch(t.Context(), "write", func(q *db.Queries) error { return errors.Join(seen(q, 1), seen(q, 2), seen(q, 3)) })
		}, 1},
		{"a write of two queries and a batch", func() error {
			return database.Write(t.Context(), "write", func(q *db.Queries) error {
				_, first := register(t, q, project, "one")
				batch := db.Batch(q, func(q *db.Queries) error { return errors.Join(seen(q, 1), seen(q, 2)) })
				_, second := register(t, q, project, "two")
				return errors.Join(first, batch, second)
			})
		}, 4},
	} {
		trips.taken()
		if err := test.run(); err != nil {
			t.Errorf("%s: %v", test.name, err)
		}
		if got := trips.taken(); got != test.want {
			t.Errorf("%s takes %d round trips, want %d", test.name, got, test.want)
		}
	}
}
