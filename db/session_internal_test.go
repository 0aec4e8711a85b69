package db

import (
	"context"
	"log/slog"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/compound-docs/compound-docs/test/testenv"
)

// Each operation makes its settings, and leaves none behind: the session may be another
// client's next.
func TestDatabase_SettingsEndWithTheTransaction(t *testing.T) {
	t.Parallel()
	database := NewDatabase(testenv.Source(testenv.DatabaseURL(t)), slog.New(slog.DiscardHandler))
	t.Cleanup(database.Close)
	const query = "SELECT current_setting('jit') || ' ' || current_setting('hnsw.ef_search', true)"
	read := func(q *Queries) (settings string, err error) {
		err = q.db.QueryRow(t.Context(), query).Scan(&settings)
		return settings, err
	}
	for name, operation := range map[string]func(f func(q *Queries) error) error{
		"read":  func(f func(q *Queries) error) error { return database.Read(t.Context(), "look", f) },
		"write": func(f func(q *Queries) error) error { return database.Write(t.Context(), "look", f) },
	} {
		err := operation(func(q *Queries) error {
			settings, err := read(q)
			if err == nil && settings != "off 200" {
				t.Errorf("%s: the settings are %q, want off 200", name, settings)
			}
			return err
		})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	err := database.onConnection(t.Context(), "look", readTimeout, func(ctx context.Context, conn *pgx.Conn) error {
		var jit string
		err := conn.QueryRow(ctx, "SELECT current_setting('jit')").Scan(&jit)
		if err == nil && jit != "on" {
			t.Errorf("jit is %s behind the operations, want on as before", jit)
		}
		return err
	})
	must(t, err)
}
