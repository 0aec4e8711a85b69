package db

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// ReadTogether is [Database.Read] for several queries in one round trip. Each function makes one query and
// returns its error unchanged. It is called twice: to send the query, and to read the result.
func (d *Database) ReadTogether(ctx context.Context, op string, queries ...func(q *Queries) error) error {
	return d.onConnection(ctx, op, readTimeout, func(ctx context.Context, conn *pgx.Conn) error {
		p := &pipeline{batch: &pgx.Batch{}}
		p.batch.Queue(settings)
		for _, query := range queries {
			if err := query(New(p)); !errors.Is(err, errQueued) {
				return err
			}
		}
		p.results = conn.SendBatch(ctx, p.batch)
		_, err := p.results.Exec()
		for _, query := range queries {
			if err == nil {
				err = query(New(p))
			}
		}
		if closeErr := p.results.Close(); err == nil {
			err = closeErr
		}
		return err
	})
}

var errQueued = errors.New("the query is not sent yet")

// pipeline queues queries until it has results, and then returns the results in turn.
type pipeline struct {
	batch   *pgx.Batch
	results pgx.BatchResults
}

func (p *pipeline) Exec(_ context.Context, sql string, args ...any) (pgconn.CommandTag, error) {
	if p.results == nil {
		p.batch.Queue(sql, args...)
		return pgconn.CommandTag{}, errQueued
	}
	return p.results.Exec() //nolint:wrapcheck // retry does
}

func (p *pipeline) Query(_ context.Context, sql string, args ...any) (pgx.Rows, error) {
	if p.results == nil {
		p.batch.Queue(sql, args...)
		return nil, errQueued
	}
	return p.results.Query() //nolint:wrapcheck // retry does
}

func (p *pipeline) QueryRow(_ context.Context, sql string, args ...any) pgx.Row {
	if p.results == nil {
		p.batch.Queue(sql, args...)
		return lastRow{err: errQueued}
	}
	return p.results.QueryRow()
}
