package db

import (
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

// transaction queues the statements without a result. A query sends them and itself in one round trip. end
// sends the rest with COMMIT.
type transaction struct {
	ctx    context.Context //nolint:containedctx // bounds every statement, whatever context it is given
	conn   *pgx.Conn
	queued *pgx.Batch
	reads  bool // each query is a transaction, and there is no end
}

func newTransaction(ctx context.Context, conn *pgx.Conn) *transaction {
	t := &transaction{ctx: ctx, conn: conn, queued: &pgx.Batch{}}
	t.queued.Queue("BEGIN")
	t.queued.Queue(settings)
	return t
}

var errReads = errors.New("a statement without a result belongs in a write")

// Exec queues a statement, whose arguments must not change. The next query, or else [Database.Write],
// returns its error.
func (t *transaction) Exec(_ context.Context, sql string, args ...any) (pgconn.CommandTag, error) {
	if t.reads {
		return pgconn.CommandTag{}, errReads
	}
	t.queued.Queue(sql, args...)
	return pgconn.CommandTag{}, nil
}

func (t *transaction) Query(_ context.Context, sql string, args ...any) (pgx.Rows, error) {
	return sendQuery(t.ctx, t.conn, t.take(sql, args))
}

func (t *transaction) QueryRow(_ context.Context, sql string, args ...any) pgx.Row {
	results, err := sendUntilLast(t.ctx, t.conn, t.take(sql, args))
	return lastRow{results, err}
}

// take empties the queue into a batch that ends with a statement.
func (t *transaction) take(sql string, args []any) *pgx.Batch {
	if t.reads {
		t.queued.Queue(settings)
	}
	batch := t.queued
	batch.Queue(sql, args...)
	t.queued = &pgx.Batch{}
	return batch
}

// end commits the transaction, or rolls it back after an error, so that the connection can be used again.
func (t *transaction) end(err error) error {
	if err == nil {
		err = t.commit()
	}
	if t.conn.IsClosed() || t.conn.PgConn().TxStatus() == 'I' {
		return err
	}
	_, rollbackErr := t.conn.Exec(t.ctx, "ROLLBACK")
	return errors.Join(err, rollbackErr)
}

func (t *transaction) commit() error {
	t.queued.Queue("COMMIT")
	results, err := sendUntilLast(t.ctx, t.conn, t.queued)
	if err != nil {
		return err
	}
	tag, err := results.Exec()
	if err == nil && tag.String() == "ROLLBACK" { // the caller ignored the error of a query
		err = pgx.ErrTxCommitRollback
	}
	return errors.Join(err, results.Close())
}

// sendUntilLast sends a batch in one round trip, and returns the result of its last statement. The caller
// closes it.
func sendUntilLast(ctx context.Context, conn *pgx.Conn, batch *pgx.Batch) (pgx.BatchResults, error) {
	results := conn.SendBatch(ctx, batch)
	for range batch.Len() - 1 {
		if _, err := results.Exec(); err != nil {
			_ = results.Close() // it fails with the same error
			return nil, err     //nolint:wrapcheck // retry does
		}
	}
	return results, nil
}

// sendQuery sends a batch in one round trip, and returns the rows of its last statement.
func sendQuery(ctx context.Context, conn *pgx.Conn, batch *pgx.Batch) (pgx.Rows, error) {
	results, err := sendUntilLast(ctx, conn, batch)
	if err != nil {
		return nil, err
	}
	rows, err := results.Query()
	if err != nil {
		_ = results.Close() // it fails with the same error
		return nil, err     //nolint:wrapcheck // retry does
	}
	return &lastRows{Rows: rows, results: results}, nil
}

// lastRows are the rows of the last statement of a batch. They close the batch.
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

// lastRow is the row of the last statement of a batch, or the error of sending it.
type lastRow struct {
	results pgx.BatchResults
	err     error
}

func (r lastRow) Scan(dest ...any) error {
	if r.err != nil {
		return r.err
	}
	err := r.results.QueryRow().Scan(dest...)
	if closeErr := r.results.Close(); err == nil {
		err = closeErr
	}
	return err
}
