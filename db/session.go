package db

import (
	"cmp"
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// settings begin each transaction and end with it. A pooler may give each transaction another session.
const settings = `-- settings
SELECT ` +
	// The first compiled plan costs 90 ms where the query takes 1 ms.
	"set_config('jit', 'off', true), " +
	// Workers cost more to start than a search takes, and there are many searchers.
	"set_config('max_parallel_workers_per_gather', '0', true), " +
	// The searched tables are in memory, and every query has an index. A sequential scan would read the
	// passages of all tenants.
	"set_config('random_page_cost', '1.1', true), " +
	"set_config('enable_seqscan', 'off', true), " +
	// The first step of an HNSW scan keeps so many candidates. The scan goes on until the LIMIT is met.
	"set_config('hnsw.ef_search', '200', true), " +
	"set_config('hnsw.iterative_scan', 'relaxed_order', true), " +
	// pgx reads bytes in this form only.
	"set_config('bytea_output', 'hex', true), " +
	// PostgreSQL ends the transaction of a suspended client. No transaction here is idle for so long. A
	// lease lasts longer.
	"set_config('idle_in_transaction_session_timeout', '10s', true)"

// session makes statements on a connection, each in one round trip. In a read each is a transaction. A write
// is one transaction, which begins with the first statement.
type session struct {
	ctx    context.Context //nolint:containedctx // bounds every statement, whatever context it is given
	conn   *pgx.Conn
	writes bool
	tx     pgx.Tx           // of a write, nil before its first statement
	last   pgx.BatchResults // of the last statement, nil before the first
}

func (s *session) Exec(_ context.Context, sql string, args ...any) (pgconn.CommandTag, error) {
	return s.send(&pgx.QueuedQuery{SQL: sql, Arguments: args}).Exec() //nolint:wrapcheck // retry does
}

func (s *session) Query(_ context.Context, sql string, args ...any) (pgx.Rows, error) {
	return s.send(&pgx.QueuedQuery{SQL: sql, Arguments: args}).Query() //nolint:wrapcheck // retry does
}

func (s *session) QueryRow(_ context.Context, sql string, args ...any) pgx.Row {
	return s.send(&pgx.QueuedQuery{SQL: sql, Arguments: args}).QueryRow()
}

// send sends statements, and what must come before them. Without a BEGIN, PostgreSQL runs all of it in one
// transaction. The results are those of the statements, valid until the next send.
func (s *session) send(statements ...*pgx.QueuedQuery) pgx.BatchResults {
	_ = s.close() // its statement has returned the error
	batch := &pgx.Batch{}
	begins := s.writes && s.tx == nil
	if begins {
		batch.BeginTx(pgx.TxOptions{})
	}
	if begins || !s.writes {
		batch.Queue(settings)
	}
	before := batch.Len()
	batch.QueuedQueries = append(batch.QueuedQueries, statements...)
	s.last = s.conn.SendBatch(s.ctx, batch)
	if begins {
		s.tx = s.last.Tx()
	}
	for range before {
		_, _ = s.last.Exec() // the statements fail with the same error
	}
	return s.last
}

// close reads the rest of the last results, and returns their error.
func (s *session) close() error {
	if s.last == nil {
		return nil
	}
	return s.last.Close() //nolint:wrapcheck // retry does
}

// end makes the connection ready for other work. It commits a write, or rolls it back after an error.
func (s *session) end(err error) error {
	err = cmp.Or(err, s.close())
	switch {
	case s.tx == nil:
		return err
	case err != nil:
		_ = s.tx.Rollback(s.ctx) // or it closes the connection
		return err
	default:
		return s.tx.Commit(s.ctx) //nolint:wrapcheck // retry does
	}
}

// Batch sends the statements that f makes, which have no results, in one round trip. It returns the error of
// the first that fails. None is stored then.
func Batch(q *Queries, f func(q *Queries) error) error {
	queued := &pgx.Batch{}
	if err := f(New(queue{batch: queued})); err != nil {
		return err
	}
	s, isSession := q.db.(*session)
	if !isSession {
		return errors.New("a batch inside a batch")
	}
	return s.send(queued.QueuedQueries...).Close() //nolint:wrapcheck // retry does
}

// queue collects the statements of a [Batch]. Query and QueryRow panic: nothing is sent yet.
type queue struct {
	DBTX

	batch *pgx.Batch
}

func (q queue) Exec(_ context.Context, sql string, args ...any) (pgconn.CommandTag, error) {
	q.batch.Queue(sql, args...)
	return pgconn.CommandTag{}, nil
}
