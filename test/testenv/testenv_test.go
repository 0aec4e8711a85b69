package testenv

import (
	"errors"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

func TestMain(m *testing.M) {
	if os.Getenv(envAbandon) != "" {
		abandonCluster()
	}
	os.Exit(Main(m))
}

func connect(t *testing.T, databaseURL string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), databaseURL)
	if err != nil {
		t.Fatal(err)
	}
	return conn
}

func mustExec(t *testing.T, conn *pgx.Conn, statement string) {
	t.Helper()
	if _, err := conn.Exec(t.Context(), statement); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}

func TestDatabaseURL_HasPgvector(t *testing.T) {
	t.Parallel()
	conn := connect(t, DatabaseURL(t))
	mustExec(t, conn, "CREATE EXTENSION vector")
	var distance float64
	if err := conn.QueryRow(t.Context(), "SELECT '[1,0]'::halfvec <=> '[0,1]'::halfvec").Scan(&distance); err != nil {
		t.Fatal(err)
	}
	if distance != 1 {
		t.Errorf("cosine distance of orthogonal vectors: got %v, want 1", distance)
	}
}

func TestDatabaseURL_IsolatedAndEmpty(t *testing.T) {
	t.Parallel()
	first, second := connect(t, DatabaseURL(t)), connect(t, DatabaseURL(t))
	mustExec(t, first, "CREATE TABLE notes (n int)")
	tables := map[string]int{}
	for name, conn := range map[string]*pgx.Conn{"first": first, "second": second} {
		var n int
		if err := conn.QueryRow(t.Context(), "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'").Scan(&n); err != nil {
			t.Fatal(err)
		}
		tables[name] = n
	}
	if diff := cmp.Diff(map[string]int{"first": 1, "second": 0}, tables); diff != "" {
		t.Errorf("tables (-want +got):\n%s", diff)
	}
}

//nolint:tparallel // the subtest has to end before the rest
func TestDatabaseURL_DroppedWhileConnected(t *testing.T) {
	t.Parallel()
	var databaseURL string
	t.Run("uses a database", func(t *testing.T) {
		databaseURL = DatabaseURL(t)
		connect(t, databaseURL) // and leaves the connection open
	})
	_, err := pgx.Connect(t.Context(), databaseURL)
	var refused *pgconn.PgError
	if !errors.As(err, &refused) || refused.Code != "3D000" {
		t.Errorf("connecting to the database of a test that has ended: got %v, want 3D000 (no such database)", err)
	}
}

func TestWithDatabase(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, server, want string }{
		{"TCP", "postgres://u:p%40ss@db.example:5433/postgres?sslmode=disable", "postgres://u:p%40ss@db.example:5433/mine?sslmode=disable"},
		{"socket", socketURL("/tmp/a b", "postgres"), socketURL("/tmp/a b", "mine")},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := withDatabase(test.server, "mine")
			if err != nil {
				t.Fatal(err)
			}
			if got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestNumber(t *testing.T) {
	t.Parallel()
	for version, want := range map[string]int{"0.8.0": 8, "0.10.1": 10, "1.0": 1000, "": 0, "15.18": 15_018, "17beta2": 17_000, "18": 18_000} {
		if got := number(version); got != want {
			t.Errorf("number(%q) = %d, want %d", version, got, want)
		}
	}
}
