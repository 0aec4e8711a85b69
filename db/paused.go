package db

import (
	"context"
	"errors"
	"iter"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// pausedFunction is a function that waits for the result of its query, as a coroutine. It
// is the [DBTX] of its function.
type pausedFunction struct {
	next  func() (statement, bool)
	stop  func()
	yield func(statement) bool
	// results are nil until the query was sent.
	results pgx.BatchResults
	err     error // of the function that has ended
}

type statement struct {
	sql  string
	args []any
}

// pause returns the function, which has not begun to run. The caller stops it in the end.
func pause(function func(q *Queries) error) *pausedFunction {
	p := &pausedFunction{}
	p.next, p.stop = iter.Pull(func(yield func(statement) bool) {
		p.yield = yield
		p.err = function(New(p))
	})
	return p
}

var (
	errNoQuery      = errors.New("it makes no query")
	errTwoQueries   = errors.New("it makes a second query")
	errNotContinued = errors.New("the query was not made, because another one failed")
)

// query runs the function up to its query, and returns that.
func (p *pausedFunction) query() (sql string, args []any, err error) {
	query, ok := p.next()
	switch {
	case ok:
		return query.sql, query.args, nil
	case p.err != nil:
		return "", nil, p.err
	default:
		return "", nil, errNoQuery
	}
}

// resume runs the rest of the function, for which the next result is.
func (p *pausedFunction) resume(results pgx.BatchResults) error {
	p.results = results
	if _, more := p.next(); more {
		return errTwoQueries
	}
	return p.err
}

func (p *pausedFunction) Exec(_ context.Context, sql string, args ...any) (pgconn.CommandTag, error) {
	if !p.yield(statement{sql, args}) {
		return pgconn.CommandTag{}, errNotContinued
	}
	return p.results.Exec() //nolint:wrapcheck // retry does
}

func (p *pausedFunction) Query(_ context.Context, sql string, args ...any) (pgx.Rows, error) {
	if !p.yield(statement{sql, args}) {
		return nil, errNotContinued
	}
	return p.results.Query() //nolint:wrapcheck // retry does
}

func (p *pausedFunction) QueryRow(_ context.Context, sql string, args ...any) pgx.Row {
	if !p.yield(statement{sql, args}) {
		return failedRow{errNotContinued}
	}
	return p.results.QueryRow()
}

// failedRow is the row of a query that was not made.
type failedRow struct{ err error }

func (r failedRow) Scan(...any) error { return r.err }
