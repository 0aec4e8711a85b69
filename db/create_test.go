package db_test

import (
	"log/slog"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/compound-docs/compound-docs/db"
	"github.com/compound-docs/compound-docs/test/testenv"
)

// A database can hold every letter, whatever the server's template holds. One that cannot is refused before it
// is migrated.
func TestDatabase_HoldsEveryLetter(t *testing.T) {
	t.Parallel()
	cluster := testenv.StartCluster(t)
	conn, err := pgx.Connect(t.Context(), cluster.URL())
	must(t, err)
	for _, statement := range []string{
		"UPDATE pg_database SET encoding = 8, datcollate = 'C', datctype = 'C' WHERE datname = 'template1'", // LATIN1
		"CREATE DATABASE latin TEMPLATE template1",
	} {
		_, err := conn.Exec(t.Context(), statement)
		must(t, err)
	}
	must(t, conn.Close(t.Context()))
	fresh := withPath(t, cluster.URL(), "/fresh")
	created, err := db.CreateMissing(t.Context(), fresh)
	must(t, err)
	var encoding string
	must(t, open(t, fresh).QueryRow(t.Context(), "SHOW server_encoding").Scan(&encoding))
	if !created || encoding != "UTF8" {
		t.Errorf("the database is made: %t, with the encoding %s", created, encoding)
	}
	_, err = db.Open(t.Context(), withPath(t, cluster.URL(), "/latin"), slog.New(slog.DiscardHandler))
	if !db.IsKind(err, db.KindSetup) || !strings.Contains(err.Error(), "the database's encoding LATIN1") ||
		!strings.Contains(err.Error(), "CREATE DATABASE name ENCODING 'UTF8'") {
		t.Errorf("a database in LATIN1: %v", err)
	}
}
