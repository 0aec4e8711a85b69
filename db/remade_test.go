package db_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"github.com/compound-docs/compound-docs/test/testenv"
)

// A database that was dropped and made again is migrated by the next call, without a
// restart.
func TestDatabase_MigratesOneThatWasMadeAgain(t *testing.T) {
	t.Parallel()
	for name, remake := range map[string]func(t *testing.T, databaseURL string){
		"database": func(t *testing.T, databaseURL string) {
			t.Helper()
			testenv.RemakeDatabase(t, databaseURL)
		},
		"schema": func(t *testing.T, databaseURL string) {
			t.Helper()
			conn, err := pgx.Connect(t.Context(), databaseURL)
			must(t, err)
			if _, err := conn.Exec(t.Context(), "DROP SCHEMA public CASCADE; CREATE SCHEMA public"); err != nil {
				t.Error(err)
			}
			if err := conn.Close(t.Context()); err != nil {
				t.Error(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			databaseURL := testenv.DatabaseURL(t)
			first, second := openDatabase(t, databaseURL), openDatabase(t, databaseURL)
			must(t, addProject(t.Context(), first, "before"))
			must(t, addProject(t.Context(), second, "before"))
			remake(t, databaseURL)
			if err := addProject(t.Context(), first, "one"); err != nil {
				t.Errorf("the first call afterwards: %v", err)
			}
			if err := addProject(t.Context(), second, "two"); err != nil {
				t.Errorf("the first call of another server: %v", err)
			}
			if diff := cmp.Diff([]string{"one", "two"}, projects(t, databaseURL)); diff != "" {
				t.Errorf("projects (-want +got):\n%s", diff)
			}
		})
	}
}
