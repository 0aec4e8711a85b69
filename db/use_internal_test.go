package db

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/compound-docs/compound-docs/test/testenv"
)

// A server that nobody uses goes on renewing its lease, and keeps no connection. Its next
// use is told that it was idle.
func TestLease_IdleServerKeepsNoConnection(t *testing.T) {
	t.Parallel()
	url := testenv.DatabaseURL(t)
	database := NewDatabase(testenv.Source(url), slog.New(slog.DiscardHandler))
	t.Cleanup(database.Close)
	tenant := &Tenant{}
	err := database.Write(t.Context(), "register", func(q *Queries) (err error) {
		if tenant.ProjectID, err = q.ProjectUpsert(t.Context(), ProjectUpsertParams{Name: "project"}); err != nil {
			return err
		}
		row, err := q.TenantUpsert(t.Context(), TenantUpsertParams{ProjectID: tenant.ProjectID, BranchName: "main"})
		tenant.ID, tenant.Generation = row.ID, row.Generation
		return err
	})
	must(t, err)
	database.used.Store(time.Now().Add(-idleAfter - time.Second).UnixNano())
	pool, err := database.Pool(t.Context())
	must(t, err)
	pool.Reset() // as if its connections had been idle for long
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		lease := NewLease(database, tenant)
		for ctx.Err() == nil {
			if _, err := lease.Look(ctx); err != nil && ctx.Err() == nil {
				t.Error(err)
			}
			time.Sleep(100 * time.Millisecond)
		}
	}()
	defer func() {
		cancel()
		<-ended
	}()
	conn, err := pgx.Connect(t.Context(), url)
	must(t, err)
	defer conn.Close(t.Context()) //nolint:errcheck // nothing hangs on it
	var first, renewed time.Time
	for deadline := time.Now().Add(time.Minute); renewed.Equal(first); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the lease was not renewed within a minute")
		}
		if err := conn.QueryRow(t.Context(), "SELECT lease_until FROM tenants").Scan(&renewed); err != nil {
			renewed = first // not yet
		}
		if first.IsZero() {
			first = renewed
		}
		if held := pool.Stat().TotalConns(); held > 0 {
			t.Fatalf("an idle server keeps %d connections", held)
		}
	}
	if !database.Used() || database.Used() {
		t.Error("the first use must be told that the server was idle, and the second not")
	}
}
