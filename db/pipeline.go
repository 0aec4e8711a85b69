package db

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// Pipeline sends the queries together and takes their results in turn: one round
// trip for all of them. They see the database at one moment, and may only read.
//
// Each function makes one query and returns its error. It runs first without a
// database, to learn what it asks: it must ask the same whenever it runs, and use
// nothing that comes with an error. All may run again after a transient failure.
func (d *Database) Pipeline(ctx context.Context, op string, queries ...func(q *Queries) error) error {
	begin := []statement{{sql: "BEGIN READ ONLY, ISOLATION LEVEL REPEATABLE READ"}}
	return d.pipeline(ctx, op, readTimeout, begin, queries)
}

// WritePipeline is as Pipeline, and may write: all of it is there afterwards, or none.
// Each query sees what those before it have written.
func (d *Database) WritePipeline(ctx context.Context, op string, queries ...func(q *Queries) error) error {
	return d.pipeline(ctx, op, writeTimeout, beginWrite(), queries)
}

func (d *Database) pipeline(
	ctx context.Context, op string, timeout time.Duration, begin []statement, queries []func(q *Queries) error,
) error {
	recorded, err := record(queries)
	if err != nil {
		return fmt.Errorf("%s: %w", op, err)
	}
	recorded = append(recorded, commit)
	return d.onConnection(ctx, op, timeout, func(ctx context.Context, conn *pgx.Conn) error {
		s := &session{ctx: ctx, conn: conn, begin: begin}
		return s.endTransaction(s.run(recorded, queries))
	})
}

// Pipeline is as [Database.Pipeline], inside a transaction of [Database.Write]: the
// queries may write, and each sees what those before it have written. Without any nothing
// is sent.
func (q *Queries) Pipeline(_ context.Context, queries ...func(q *Queries) error) error {
	if len(queries) == 0 {
		return nil
	}
	recorded, err := record(queries)
	if err != nil {
		return err
	}
	return q.db.(*session).run(recorded, queries) //nolint:errcheck,forcetypeassert // Write's
}

// Commit is Pipeline, and commits in the same round trip. It comes last in a function that
// is given to [Database.Write]. What is written is there even if one of its functions
// then makes an error of its own of a result.
func (q *Queries) Commit(_ context.Context, queries ...func(q *Queries) error) error {
	recorded, err := record(queries)
	if err != nil {
		return err
	}
	return q.db.(*session).run(append(recorded, commit), queries) //nolint:errcheck,forcetypeassert // Write's
}

var commit = statement{sql: "COMMIT"} //nolint:gochecknoglobals // a constant

// run sends the statements, and gives each function the result of its own.
func (s *session) run(statements []statement, queries []func(q *Queries) error) error {
	r := s.send(statements...)
	err := func() error {
		for _, query := range queries {
			if err := query(New(r)); err != nil {
				return err
			}
		}
		return nil
	}()
	// What has failed first says more than that the rest has then.
	if endErr := r.end(); err == nil {
		err = endErr
	}
	return err
}

// endTransaction commits the transaction if one is open and there is no error. After an
// error it makes the connection fit for another use.
func (s *session) endTransaction(err error) error {
	if s.conn.IsClosed() || s.conn.PgConn().TxStatus() == 'I' {
		return err
	}
	if err == nil {
		var tag pgconn.CommandTag
		if tag, err = s.Exec(s.ctx, commit.sql); err == nil && tag.String() == "ROLLBACK" {
			err = pgx.ErrTxCommitRollback
		}
		return err
	}
	_, rollbackErr := s.Exec(s.ctx, "ROLLBACK")
	return errors.Join(err, rollbackErr)
}

// record learns what each function asks.
func record(queries []func(q *Queries) error) ([]statement, error) {
	recorded := make([]statement, len(queries), len(queries)+1)
	for i, query := range queries {
		var r recorder
		if err := query(New(&r)); !errors.Is(err, errRecorded) || r.queries != 1 {
			return nil, fmt.Errorf("function %d made %d queries and returned: %w", i, r.queries, err)
		}
		recorded[i] = r.statement
	}
	return recorded, nil
}

// errRecorded ends a function that was run to learn its query.
var errRecorded = errors.New("the query was recorded")

// recorder keeps the query that generated code makes, and runs nothing.
type recorder struct {
	statement

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
	return row{err: r.record(sql, args)}
}
