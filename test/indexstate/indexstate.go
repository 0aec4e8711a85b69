// Package indexstate reads the documents of an index as a test compares them. It
// knows the tables, and of the product only how a database is opened.
package indexstate

import (
	"context"
	_ "embed"
	"fmt"
	"log/slog"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/compound-docs/compound-docs/db"
	"github.com/compound-docs/compound-docs/test/testenv"
)

//go:embed documents.sql
var queryDocuments string

// Documents returns every document of a branch with all that the index holds of
// it, one a line.
func Documents(ctx context.Context, pool *pgxpool.Pool, branch string) ([]string, error) {
	return Lines(ctx, pool, queryDocuments, branch)
}

// OpenPool opens an index until the test ends.
func OpenPool(t testing.TB, databaseURL string) *pgxpool.Pool {
	t.Helper()
	database := db.NewDatabase(testenv.Source(databaseURL), slog.New(slog.DiscardHandler))
	t.Cleanup(database.Close)
	pool, err := database.Pool(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return pool
}

// Lines returns the rows of a query with one column of text.
func Lines(ctx context.Context, pool *pgxpool.Pool, query string, arguments ...any) ([]string, error) {
	rows, err := pool.Query(ctx, query, arguments...)
	if err != nil {
		return nil, fmt.Errorf("query the index: %w", err)
	}
	return pgx.CollectRows(rows, pgx.RowTo[string]) //nolint:wrapcheck // the query is the caller's
}

// Settling bounds the wait for an index. It is far below the five minutes after
// which reading the whole folder would hide that a change was missed.
const Settling = 2 * time.Minute

// Difference waits until [Documents] of the branch are as wanted, and returns how
// they differ if they do not become so in time.
func Difference(ctx context.Context, pool *pgxpool.Pool, branch string, want []string) (string, error) {
	deadline := time.After(Settling)
	for {
		got, err := Documents(ctx, pool, branch)
		if err != nil || slices.Equal(want, got) {
			return "", err
		}
		select {
		case <-ctx.Done():
			return "", context.Cause(ctx)
		case <-deadline:
			return cmp.Diff(want, got), nil
		case <-time.After(20 * time.Millisecond):
		}
	}
}
