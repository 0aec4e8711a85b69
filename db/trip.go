package db

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
)

// statement is a query with its arguments.
type statement struct {
	sql  string
	args []any
}

// send sends the statements to the server in one round trip. The caller reads the results
// in their order, and then calls end.
//
// A statement is prepared when the connection first meets it, in the same round trip: the
// types of the arguments say what the parameters are, so that nobody has to ask.
func send(ctx context.Context, conn *pgx.Conn, statements ...statement) *results {
	r := &results{types: conn.TypeMap(), prepared: preparedOn(conn), pipeline: conn.PgConn().StartPipeline(ctx)}
	var builder pgx.ExtendedQueryBuilder
	for _, s := range statements {
		parameters, err := parameterTypes(r.types, s.args)
		if err == nil {
			err = builder.Build(r.types, &pgconn.StatementDescription{ParamOIDs: parameters}, s.args)
		}
		if err != nil {
			r.err = fmt.Errorf("send a query: %w", err)
			return r
		}
		name, known := r.prepared.names[s.sql]
		if !known {
			r.prepared.sent++
			name = "cdocs_" + strconv.Itoa(r.prepared.sent)
			r.pipeline.SendPrepare(name, s.sql, parameters)
			r.preparing = append(r.preparing, statementName{s.sql, name})
		}
		r.pipeline.SendQueryPrepared(name, builder.ParamValues, builder.ParamFormats, []int16{pgx.BinaryFormatCode})
	}
	r.err = r.pipeline.Sync()
	return r
}

// parameterTypes returns the types of PostgreSQL that sqlc has made the arguments' types
// of.
func parameterTypes(types *pgtype.Map, args []any) ([]uint32, error) {
	parameters := make([]uint32, len(args))
	for i, arg := range args {
		known, ok := types.TypeForValue(arg)
		if !ok {
			return nil, fmt.Errorf("no type of PostgreSQL is known for %T", arg)
		}
		parameters[i] = known.OID
	}
	return parameters, nil
}

// prepared are the statements that a connection has prepared.
type prepared struct {
	names map[string]string // by their text
	sent  int               // how many have been sent; no name is used twice
}

func preparedOn(conn *pgx.Conn) *prepared {
	const key = "compound-docs: prepared statements"
	data := conn.PgConn().CustomData()
	known, ok := data[key].(*prepared)
	if !ok {
		known = &prepared{names: map[string]string{}}
		data[key] = known
	}
	return known
}

type statementName struct{ sql, name string }

// results are those of statements that were sent together. As a [DBTX] it gives each query
// the next one.
type results struct {
	types    *pgtype.Map
	pipeline *pgconn.Pipeline
	prepared *prepared
	// preparing are the statements that are prepared on the way, in their order.
	preparing []statementName
	// err is the first error.
	err error
}

// next returns the next result, and nil after the last one.
func (r *results) next() (*pgconn.ResultReader, error) {
	for r.err == nil {
		result, err := r.pipeline.GetResults()
		if err != nil {
			r.fail(err)
			break
		}
		switch result := result.(type) {
		case *pgconn.StatementDescription:
			done := r.preparing[0]
			r.preparing = r.preparing[1:]
			r.prepared.names[done.sql] = done.name
		case *pgconn.ResultReader:
			return result, nil
		default:
			return nil, nil //nolint:nilnil // documented
		}
	}
	return nil, r.err
}

// fail notes the first error. A statement that the server has forgotten, or whose columns
// a migration has changed, is prepared again when it is next sent.
func (r *results) fail(err error) {
	if r.err == nil {
		r.err = err
	}
	if pgErr, ok := errors.AsType[*pgconn.PgError](err); ok && (pgErr.Code == "0A000" || pgErr.Code == "26000") {
		clear(r.prepared.names)
	}
}

// end reads the results that are left, and returns the first error. A transaction that
// consists of the statements alone has been committed then.
func (r *results) end() error {
	for {
		result, err := r.next()
		if err != nil || result == nil {
			break
		}
		if _, err := result.Close(); err != nil {
			r.fail(err)
		}
	}
	if err := r.pipeline.Close(); err != nil {
		r.fail(err)
	}
	return r.err
}

var errNoResult = errors.New("the query has no result")

// ofQuery returns the next result, which a query waits for.
func (r *results) ofQuery() (*pgconn.ResultReader, error) {
	result, err := r.next()
	if err == nil && result == nil {
		err = errNoResult
	}
	return result, err
}

func (r *results) Exec(context.Context, string, ...any) (pgconn.CommandTag, error) {
	result, err := r.ofQuery()
	if err != nil {
		return pgconn.CommandTag{}, err
	}
	tag, err := result.Close()
	if err != nil {
		r.fail(err)
	}
	return tag, err //nolint:wrapcheck // retry does
}

func (r *results) Query(context.Context, string, ...any) (pgx.Rows, error) {
	result, err := r.ofQuery()
	if err != nil {
		return nil, err
	}
	return pgx.RowsFromResultReader(r.types, result), nil
}

func (r *results) QueryRow(ctx context.Context, sql string, args ...any) pgx.Row {
	rows, err := r.Query(ctx, sql, args...)
	return row{rows, err}
}

// row is the first of the rows of a query.
type row struct {
	rows pgx.Rows
	err  error
}

func (r row) Scan(into ...any) error {
	if r.err != nil {
		return r.err
	}
	found := r.rows.Next()
	var err error
	if found {
		err = r.rows.Scan(into...)
	}
	r.rows.Close()
	switch rowsErr := r.rows.Err(); {
	case err != nil:
		return err //nolint:wrapcheck // retry does
	case rowsErr != nil:
		return rowsErr //nolint:wrapcheck // retry does
	case !found:
		return pgx.ErrNoRows
	}
	return nil
}

// session makes queries on one connection, each in a round trip of its own, or together
// by [Queries.Pipeline].
type session struct {
	ctx  context.Context //nolint:containedctx // lives as long as the operation, whose time limit is every query's
	conn *pgx.Conn
	// begin goes ahead of the first query.
	begin []statement
}

func (s *session) send(statements ...statement) *results {
	begin := s.begin
	s.begin = nil
	r := send(s.ctx, s.conn, slices.Concat(begin, statements)...)
	for range begin {
		if _, err := r.Exec(s.ctx, ""); err != nil {
			break
		}
	}
	return r
}

func (s *session) Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error) {
	r := s.send(statement{sql, args})
	tag, err := r.Exec(ctx, sql)
	if endErr := r.end(); err == nil {
		err = endErr
	}
	return tag, err
}

func (s *session) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	r := s.send(statement{sql, args})
	rows, err := r.Query(ctx, sql)
	if err != nil {
		_ = r.end() // it has failed already
		return nil, err
	}
	return &lastRows{Rows: rows, results: r}, nil
}

func (s *session) QueryRow(ctx context.Context, sql string, args ...any) pgx.Row {
	rows, err := s.Query(ctx, sql, args...)
	return row{rows, err}
}

// lastRows ends the results with its last row.
type lastRows struct {
	pgx.Rows

	results *results
	ended   bool
}

func (l *lastRows) Next() bool {
	if l.Rows.Next() {
		return true
	}
	l.Close()
	return false
}

func (l *lastRows) Close() {
	l.Rows.Close()
	if l.ended {
		return
	}
	l.ended = true
	if err := l.Rows.Err(); err != nil {
		l.results.fail(err)
	}
	_ = l.results.end() // Err returns it
}

func (l *lastRows) Err() error {
	if err := l.Rows.Err(); err != nil {
		return err //nolint:wrapcheck // retry does
	}
	if l.ended {
		return l.results.err
	}
	return nil
}
