package db

import (
	"cmp"
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// settings is the first statement of each transaction. The values end with the transaction, because a pooler may give
// each transaction another session.
const settings = `-- settings
SELECT ` +
	// With JIT, compiling the first plan takes 90 ms. The query itself takes 1 ms.
	"set_config('jit', 'off', true), " +
	// Starting parallel workers takes longer than a search, and many sessions search at the same time.
	"set_config('max_parallel_workers_per_gather', '0', true), " +
	// The searched tables are in memory, and every query has an index. A sequential scan would read the passages of all
	// tenants.
	"set_config('random_page_cost', '1.1', true), " +
	"set_config('enable_seqscan', 'off', true), " +
	// An HNSW scan first collects 200 candidates, and then goes on until it has enough for the LIMIT.
	"set_config('hnsw.ef_search', '200', true), " +
	"set_config('hnsw.iterative_scan', 'relaxed_order', true), " +
	// pgx can read bytes only as hex.
	"set_config('bytea_output', 'hex', true), " +
	// With this limit, PostgreSQL ends the transaction of a suspended client before the client's lease ends. No running
	// client is idle in a transaction for so long.
	"set_config('idle_in_transaction_session_timeout', '10s', true)"

// session runs statements on a connection, each in one round trip. In a read, each statement is a transaction. A write
// is one transaction that begins with the first statement.
type session struct {
	ctx    context.Context //nolint:containedctx // bounds every statement, whatever context it is given
	conn   *pgx.Conn
	writes bool
	tx     pgx.Tx           // transaction of a write; nil before the first statement
	last   pgx.BatchResults // results of the last statement; nil before the first
}

func (s *session) Exec(_ context.Context, sql string, args ...any) (pgconn.CommandTag, error) {
	return s.send(&pgx.QueuedQuery{SQL: sql, Arguments: args}).Exec() //nolint:wrapcheck // retry wraps it
}

func (s *session) Query(_ context.Context, sql string, args ...any) (pgx.Rows, error) {
	return s.send(&pgx.QueuedQuery{SQL: sql, Arguments: args}).Query() //nolint:wrapcheck // retry wraps it
}

func (s *session) QueryRow(_ context.Context, sql string, args ...any) pgx.Row {
	return s.send(&pgx.QueuedQuery{SQL: sql, Arguments: args}).QueryRow()
}

// send sends statements in one round trip, and returns their results, which are valid until the next send. In a read,
// it sends settings before the statements. In a write, it sends BEGIN and settings before the first statements. Without
// a BEGIN, PostgreSQL runs everything that is sent together in one transaction.
func (s *session) send(statements ...*pgx.QueuedQuery) pgx.BatchResults {
	_ = s.close() // the caller already has the error of the statement before
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
		_, _ = s.last.Exec() // after an error here, the statements fail with the same error
	}
	return s.last
}

// close reads the rest of the last results and returns their error.
func (s *session) close() error {
	if s.last == nil {
		return nil
	}
	return s.last.Close() //nolint:wrapcheck // retry wraps it
}

// end makes the connection ready for other work. It commits a write, or rolls it back if err is not nil.
func (s *session) end(err error) error {
	err = cmp.Or(err, s.close())
	switch {
	case s.tx == nil:
		return err
	case err != nil:
		_ = s.tx.Rollback(s.ctx) // if this fails, pgx closes the connection
		return err
	default:
		return s.tx.Commit(s.ctx) //nolint:wrapcheck // retry wraps it
	}
}

// Batch collects the statements of f, which must not return rows, and sends them in one round trip. It returns the
// error of the first statement that fails; then no statement takes effect.
func Batch(q *Queries, f func(q *Queries) error) error {
	queued := &pgx.Batch{}
	if err := f(New(queue{batch: queued})); err != nil {
		return err
	}
	s, isSession := q.db.(*session)
	if !isSession {
		return errors.New("a batch inside a batch")
	}
	return s.send(queued.QueuedQueries...).Close() //nolint:wrapcheck // retry wraps it
}

// queue collects the statements of a [Batch]. Query and QueryRow panic, because nothing is sent yet.
type queue struct {
	DBTX

	batch *pgx.Batch
}

func (q queue) Exec(_ context.Context, sql string, args ...any) (pgconn.CommandTag, error) {
	q.batch.Queue(sql, args...)
	return pgconn.CommandTag{}, nil
}
