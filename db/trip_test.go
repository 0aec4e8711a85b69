package db

import (
	"log/slog"
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/compound-docs/compound-docs/test/testenv"
)

// opened returns a pool of connections to a database of the test's own.
func opened(t *testing.T) *pgxpool.Pool {
	t.Helper()
	pool, err := Open(t.Context(), testenv.DatabaseURL(t), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	return pool
}

// What the arguments of a query say of its parameters is what PostgreSQL makes of them.
func TestParameterTypes_AreThoseOfTheQueries(t *testing.T) {
	t.Parallel()
	conn, err := opened(t).Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Release)
	queries := recordAll(t)
	for _, name := range slices.Sorted(maps.Keys(queries)) {
		got, err := parameterTypes(conn.Conn().TypeMap(), queries[name].args)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		described, err := conn.Conn().PgConn().Prepare(t.Context(), "", queries[name].sql, nil)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		want := described.ParamOIDs
		for i := range want {
			if want[i] == pgtype.Int8OID && got[i] == pgtype.Int4OID {
				want[i] = pgtype.Int4OID // LIMIT takes either
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// A statement that the server has forgotten fails once.
func TestSend_PreparesAgainWhatTheServerHasForgotten(t *testing.T) {
	t.Parallel()
	conn, err := opened(t).Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Release)
	find := func() error {
		_, err := New(&session{ctx: t.Context(), conn: conn.Conn()}).CleanupProjects(t.Context())
		return err
	}
	if err := find(); err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Exec(t.Context(), "DEALLOCATE ALL"); err != nil {
		t.Fatal(err)
	}
	if err := find(); err == nil {
		t.Fatal("the statement is sent with its text each time")
	}
	if err := find(); err != nil {
		t.Errorf("it is not prepared again: %v", err)
	}
}
