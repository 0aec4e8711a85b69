package db

import (
	"context"
	"errors"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// explainer runs no query: it explains each one that the generated code sends,
// with its very text and arguments, with its settings.
type explainer struct {
	pool  *pgxpool.Pool
	query string
	plan  string
}

var errExplained = errors.New("explained")

func (e *explainer) explain(ctx context.Context, query string, args []any) error {
	rows, err := e.pool.Query(ctx, "EXPLAIN (ANALYZE, COSTS OFF) "+query, args...)
	if err != nil {
		return err
	}
	lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return err
	}
	e.query, e.plan = query, executed(lines)
	return errExplained
}

// executed leaves out the parts of a plan that never ran.
func executed(lines []string) string {
	indent := func(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }
	var kept []string
	skipped := -1
	for _, line := range lines {
		if skipped >= 0 && indent(line) > skipped {
			continue
		}
		if skipped = -1; strings.HasSuffix(line, "(never executed)") {
			skipped = indent(line)
			continue
		}
		kept = append(kept, line)
	}
	return strings.Join(kept, "\n")
}

func (e *explainer) Exec(ctx context.Context, query string, args ...any) (pgconn.CommandTag, error) {
	return pgconn.CommandTag{}, e.explain(ctx, query, args)
}

func (e *explainer) Query(ctx context.Context, query string, args ...any) (pgx.Rows, error) {
	return nil, e.explain(ctx, query, args)
}

func (e *explainer) QueryRow(ctx context.Context, query string, args ...any) pgx.Row {
	return errorRow{e.explain(ctx, query, args)}
}
