package testenv

import (
	"errors"
	"os"
	"testing"

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
