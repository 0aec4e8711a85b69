package db

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// The statements around the queries of an operation.
const (
	beginRead  = "BEGIN READ ONLY, ISOLATION LEVEL REPEATABLE READ"
	beginWrite = "BEGIN"
	commit     = "COMMIT"
	rollback   = "ROLLBACK"
)

// settings come first in each transaction, and end with it: a pooler may give each
// transaction another session.
const settings = `-- settings
SELECT ` +
	// The first compiled plan costs 90 ms where the query takes 1 ms.
	"set_config('jit', 'off', true), " +
	// Workers cost more to start than a search takes, and there are many searchers.
	"set_config('max_parallel_workers_per_gather', '0', true), " +
	// What is searched is in memory, and every query has an index: a sequential scan
	// would read the passages of all tenants.
	"set_config('random_page_cost', '1.1', true), " +
	"set_config('enable_seqscan', 'off', true), " +
	// How many candidates the first step of an HNSW scan keeps. The scan goes on from
	// there until the LIMIT is met.
	"set_config('hnsw.ef_search', '200', true), " +
	"set_config('hnsw.iterative_scan', 'relaxed_order', true), " +
	// PostgreSQL ends the transaction of a client that is suspended or has vanished: one
	// here does nothing but SQL, and is never idle for so long. A lease lasts longer.
	"set_config('idle_in_transaction_session_timeout', '10s', true)"

// Pipeline sends the queries together and takes their results in turn: one round
// trip for all of them. They see the database at one moment, and may only read.
//
// Each function makes one query. All queries are sent before the first function goes on
// with its result, so no query can use the result of another. All functions may run again
// after a transient failure.
func (d *Database) Pipeline(ctx context.Context, op string, queries ...func(q *Queries) error) error {
	return d.onConnection(ctx, op, readTimeout, func(ctx context.Context, conn *pgx.Conn) error {
		s := &session{ctx: ctx, conn: conn, begin: []string{beginRead, settings}}
		return s.endTransaction(s.roundTrip(queries, commit))
	})
}

// Pipeline is as [Database.Pipeline], inside a transaction of [Database.Write]: the
// queries may write, and each sees what those before it have written. Without any nothing
// is sent.
func (q *Queries) Pipeline(_ context.Context, queries ...func(q *Queries) error) error {
	if len(queries) == 0 {
		return nil
	}
	return q.db.(*session).roundTrip(queries) //nolint:errcheck,forcetypeassert // Write's
}

// Commit is Pipeline, and commits in the same round trip. It comes last in a function that
// is given to [Database.Write]. What is written is there even if one of its functions
// then makes an error of its own of a result.
func (q *Queries) Commit(_ context.Context, queries ...func(q *Queries) error) error {
	return q.db.(*session).roundTrip(queries, commit) //nolint:errcheck,forcetypeassert // Write's
}

// session makes the queries of one operation on one connection.
type session struct {
	ctx  context.Context //nolint:containedctx // bounds every query, also one that is given another context
	conn *pgx.Conn
	// begin are the statements that are sent ahead of the first query, and nil from then
	// on: they begin a transaction. If each is set, every query is a transaction of its
	// own, and they are sent ahead of each, in the same round trip.
	begin []string
	each  bool
}

func (s *session) Exec(_ context.Context, sql string, args ...any) (pgconn.CommandTag, error) {
	results, err := s.beginWith(sql, args)
	if err != nil {
		return pgconn.CommandTag{}, err
	}
	tag, err := results.Exec()
	if closeErr := results.Close(); err == nil {
		err = closeErr
	}
	return tag, err
}

func (s *session) Query(_ context.Context, sql string, args ...any) (pgx.Rows, error) {
	results, err := s.beginWith(sql, args)
	if err != nil {
		return nil, err
	}
	rows, err := results.Query()
	return &lastRows{Rows: rows, results: results}, err //nolint:wrapcheck // retry does
}

func (s *session) QueryRow(ctx context.Context, sql string, args ...any) pgx.Row {
	rows, err := s.Query(ctx, sql, args...)
	if err != nil {
		return failedRow{err}
	}
	return onlyRow{rows}
}

// beginWith sends the query behind the statements that come before it, and returns the
// results from its own on. The caller closes them.
func (s *session) beginWith(sql string, args []any) (pgx.BatchResults, error) {
	batch := &pgx.Batch{}
	for _, before := range s.begin {
		batch.Queue(before)
	}
	batch.Queue(sql, args...)
	results := s.conn.SendBatch(s.ctx, batch)
	if err := s.begun(results); err != nil {
		return nil, errors.Join(err, results.Close())
	}
	return results, nil
}

// begun reads the results of the statements that come before the first query.
func (s *session) begun(results pgx.BatchResults) error {
	for range s.begin {
		if _, err := results.Exec(); err != nil {
			return err //nolint:wrapcheck // retry does
		}
	}
	if !s.each {
		s.begin = nil
	}
	return nil
}

// lastRows are those of the last query of a round trip, which ends with them.
type lastRows struct {
	pgx.Rows

	results pgx.BatchResults
	err     error
}

func (r *lastRows) Next() bool {
	if r.Rows.Next() {
		return true
	}
	r.Close()
	return false
}

func (r *lastRows) Close() {
	r.Rows.Close()
	r.err = r.results.Close()
}

func (r *lastRows) Err() error {
	if err := r.Rows.Err(); err != nil {
		return err //nolint:wrapcheck // retry does
	}
	return r.err
}

// onlyRow is the row of a query that has one.
type onlyRow struct{ rows pgx.Rows }

func (r onlyRow) Scan(dest ...any) error {
	_, err := pgx.CollectOneRow(r.rows, func(row pgx.CollectableRow) (struct{}, error) { return struct{}{}, row.Scan(dest...) })
	return err //nolint:wrapcheck // retry does
}

// roundTrip sends the queries of the functions together, between the statements that begin
// the transaction and those that end it, and gives each function its result.
func (s *session) roundTrip(functions []func(q *Queries) error, end ...string) (err error) {
	batch := &pgx.Batch{}
	for _, sql := range s.begin {
		batch.Queue(sql)
	}
	paused := make([]*pausedFunction, len(functions))
	for i, function := range functions {
		paused[i] = pause(function)
		defer paused[i].stop()
		sql, args, err := paused[i].query()
		if err != nil {
			return fmt.Errorf("function %d of a pipeline: %w", i, err)
		}
		batch.Queue(sql, args...)
	}
	for _, sql := range end {
		batch.Queue(sql)
	}
	results := s.conn.SendBatch(s.ctx, batch)
	defer func() {
		// What has failed first says more than that the rest has then.
		if closeErr := results.Close(); err == nil {
			err = closeErr
		}
	}()
	if err := s.begun(results); err != nil {
		return err
	}
	for _, function := range paused {
		if err := function.resume(results); err != nil {
			return err
		}
	}
	return nil
}

// endTransaction commits the transaction if one is open and there is no error. After an
// error it makes the connection fit for another use.
func (s *session) endTransaction(err error) error {
	if s.conn.IsClosed() || s.conn.PgConn().TxStatus() == 'I' {
		return err
	}
	if err == nil {
		var tag pgconn.CommandTag
		if tag, err = s.conn.Exec(s.ctx, commit); err == nil && tag.String() == rollback {
			err = pgx.ErrTxCommitRollback
		}
		return err
	}
	_, rollbackErr := s.conn.Exec(s.ctx, rollback)
	return errors.Join(err, rollbackErr)
}
