package db

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// Pipeline runs the functions in turn. They see the database at one moment, and may only
// read.
func (d *Database) Pipeline(ctx context.Context, op string, queries ...func(q *Queries) error) error {
	return d.onConnection(ctx, op, readTimeout, func(ctx context.Context, conn *pgx.Conn) error {
		t := newTransaction(ctx, conn)
		t.queue = &pgx.Batch{}
		t.queue.Queue("BEGIN READ ONLY, ISOLATION LEVEL REPEATABLE READ")
		t.queue.Queue(settings)
		for _, query := range queries {
			if err := query(New(t)); err != nil {
				return t.end(err)
			}
		}
		return t.end(nil)
	})
}
