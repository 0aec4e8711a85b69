package db_test

import (
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/compound-docs/compound-docs/test/testenv"
)

// alter changes a setting of the whole database, which new sessions have.
func alter(t *testing.T, databaseURL, change string, others ...string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), databaseURL)
	must(t, err)
	statements := append([]string{
		"SET default_transaction_read_only = off", "ALTER DATABASE " + pgx.Identifier{conn.Config().Database}.Sanitize() + " " + change,
	}, others...)
	for _, statement := range statements {
		if _, err := conn.Exec(t.Context(), statement); err != nil {
			t.Errorf("%s: %v", statement, err)
		}
	}
	if err := conn.Close(t.Context()); err != nil {
		t.Error(err)
	}
}

// A mistake in the settings of the database fails calls as long as it is there, and no call
// afterwards.
func TestDatabase_RecoversFromAMistakeThatIsMended(t *testing.T) {
	t.Parallel()
	const endSessions = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity " +
		"WHERE datname = current_database() AND pid <> pg_backend_pid()"
	for _, mistake := range []string{"search_path = 'nosuch'", "default_transaction_read_only = on"} {
		t.Run(mistake, func(t *testing.T) {
			t.Parallel()
			databaseURL := testenv.DatabaseURL(t)
			database := openDatabase(t, databaseURL)
			fill(t, database)
			alter(t, databaseURL, "SET "+mistake, endSessions)
			for range 2 {
				if err := addProject(t.Context(), database, "never"); err == nil {
					t.Error("a call has no error as long as the mistake is there")
				}
			}
			alter(t, databaseURL, "RESET ALL")
			if err := addProject(t.Context(), database, "after"); err != nil {
				t.Errorf("the first call after the mistake was mended: %v", err)
			}
		})
	}
}
