package db

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Pipeline sends the queries together and takes their results in turn: one round
// trip for all of them. They see the database at one moment, and may only read.
//
// Each function makes one query and returns its error. It runs first without a
// database, to learn what it asks: it must ask the same whenever it runs, and use
// nothing that comes with an error. All may run again after a transient failure.
func (d *Database) Pipeline(ctx context.Context, op string, queries ...func(q *Queries) error) error {
	return d.pipeline(ctx, op, readTimeout, []string{"BEGIN READ ONLY, ISOLATION LEVEL REPEATABLE READ"}, queries)
}

// WritePipeline is as Pipeline, and may write: all of it is there afterwards, or none.
// Each query sees what those before it have written.
func (d *Database) WritePipeline(ctx context.Context, op string, queries ...func(q *Queries) error) error {
	return d.pipeline(ctx, op, writeTimeout, []string{"BEGIN", planOnce}, queries)
}

func (d *Database) pipeline(
	ctx context.Context, op string, timeout time.Duration, begin []string, queries []func(q *Queries) error,
) error {
	recorded, err := record(queries)
	if err != nil {
		return fmt.Errorf("%s: %w", op, err)
	}
	return d.retry(ctx, op, timeout, func(ctx context.Context, pool *pgxpool.Pool) error {
		return pool.AcquireFunc(ctx, func(conn *pgxpool.Conn) error {
			return errors.Join(runPipeline(ctx, conn, begin, recorded, queries), endTransaction(ctx, conn))
		})
	})
}

// runPipeline leaves the transaction open if it fails.
func runPipeline(
	ctx context.Context, conn *pgxpool.Conn, begin []string, recorded []recorder, queries []func(q *Queries) error,
) error {
	batch := &pgx.Batch{}
	for _, statement := range begin {
		batch.Queue(statement)
	}
	for _, r := range recorded {
		batch.Queue(r.sql, r.args...)
	}
	batch.Queue("COMMIT")
	return withResults(ctx, conn, batch, func(results pgx.BatchResults) error {
		for range begin {
			if _, err := results.Exec(); err != nil {
				return err //nolint:wrapcheck // retry does
			}
		}
		if err := takeResults(results, queries); err != nil {
			return err
		}
		_, err := results.Exec()
		return err //nolint:wrapcheck // retry does
	})
}

// Pipeline is as [Database.Pipeline], inside a transaction of [Database.Write]: the
// queries may write, and each sees what those before it have written.
func (q *Queries) Pipeline(ctx context.Context, queries ...func(q *Queries) error) error {
	recorded, err := record(queries)
	if err != nil {
		return err
	}
	batch := &pgx.Batch{}
	for _, r := range recorded {
		batch.Queue(r.sql, r.args...)
	}
	sender := q.db.(batchSender) //nolint:errcheck,forcetypeassert // Write's
	return withResults(ctx, sender, batch, func(results pgx.BatchResults) error { return takeResults(results, queries) })
}

// batchSender is a connection, a pool or a transaction.
type batchSender interface {
	SendBatch(ctx context.Context, batch *pgx.Batch) pgx.BatchResults
}

// withResults sends the batch, and calls f with its results.
func withResults(ctx context.Context, conn batchSender, batch *pgx.Batch, f func(results pgx.BatchResults) error) error {
	results := conn.SendBatch(ctx, batch)
	err := f(results)
	// What has failed first says more than that the rest has then.
	if closeErr := results.Close(); err == nil {
		err = closeErr
	}
	return err
}

func takeResults(results pgx.BatchResults, queries []func(q *Queries) error) error {
	for _, query := range queries {
		if err := query(New(pipelined{results})); err != nil {
			return err
		}
	}
	return nil
}

// record learns what each function asks.
func record(queries []func(q *Queries) error) ([]recorder, error) {
	recorded := make([]recorder, len(queries))
	for i, query := range queries {
		if err := query(New(&recorded[i])); !errors.Is(err, errRecorded) || recorded[i].queries != 1 {
			return nil, fmt.Errorf("function %d made %d queries and returned: %w", i, recorded[i].queries, err)
		}
	}
	return recorded, nil
}

// endTransaction makes a connection whose pipeline has failed fit for another use.
func endTransaction(ctx context.Context, conn *pgxpool.Conn) error {
	if conn.Conn().IsClosed() || conn.Conn().PgConn().TxStatus() == 'I' {
		return nil
	}
	_, err := conn.Exec(ctx, "ROLLBACK")
	return err //nolint:wrapcheck // retry does
}

// errRecorded ends a function that was run to learn its query.
var errRecorded = errors.New("the query was recorded")

// recorder keeps the query that generated code makes, and runs nothing.
type recorder struct {
	sql     string
	args    []any
	queries int
}

func (r *recorder) record(sql string, args []any) error {
	r.sql, r.args = sql, args
	r.queries++
	return errRecorded
}

func (r *recorder) Exec(_ context.Context, sql string, args ...any) (pgconn.CommandTag, error) {
	return pgconn.CommandTag{}, r.record(sql, args)
}

func (r *recorder) Query(_ context.Context, sql string, args ...any) (pgx.Rows, error) {
	return nil, r.record(sql, args)
}

func (r *recorder) QueryRow(_ context.Context, sql string, args ...any) pgx.Row {
	return errorRow{r.record(sql, args)}
}

type errorRow struct{ err error }

func (r errorRow) Scan(...any) error { return r.err }

// pipelined gives generated code the next result of a batch for its query.
type pipelined struct{ results pgx.BatchResults }

func (p pipelined) Exec(context.Context, string, ...any) (pgconn.CommandTag, error) {
	return p.results.Exec() //nolint:wrapcheck // as a pool does
}

func (p pipelined) Query(context.Context, string, ...any) (pgx.Rows, error) {
	return p.results.Query() //nolint:wrapcheck // as a pool does
}

func (p pipelined) QueryRow(context.Context, string, ...any) pgx.Row { return p.results.QueryRow() }
