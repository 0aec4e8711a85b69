package db

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// How a transient failure is met: three tries, 100 and 200 ms apart.
const (
	tries      = 3
	firstDelay = 100 * time.Millisecond
)

// Database is a PostgreSQL database that may be away: it is opened and migrated
// when it is first needed, and every operation is tried again after a transient
// failure. Safe for concurrent use.
type Database struct {
	url    string
	logger *slog.Logger

	mu   sync.Mutex
	pool *pgxpool.Pool
}

// NewDatabase returns a Database without connecting to it.
func NewDatabase(url string, logger *slog.Logger) *Database {
	return &Database{url: url, logger: logger}
}

// Close closes the pool, if one was opened, and waits for its connections.
func (d *Database) Close() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.pool != nil {
		d.pool.Close()
		d.pool = nil
	}
}

// Pool opens and migrates the database on the first call that succeeds, and
// returns the same pool from then on. Close closes it.
func (d *Database) Pool(ctx context.Context) (*pgxpool.Pool, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.pool != nil {
		return d.pool, nil
	}
	pool, err := Open(ctx, d.url, d.logger)
	if err != nil {
		return nil, err
	}
	d.pool = pool
	return pool, nil
}

// Read runs f against the pool. f may run again after a transient failure.
func (d *Database) Read(ctx context.Context, op string, f func(q *Queries) error) error {
	return d.retry(ctx, op, func(pool *pgxpool.Pool) error { return f(New(pool)) })
}

// Write runs f in one transaction: all of it is there afterwards, or none. f
// may run again after a transient failure.
func (d *Database) Write(ctx context.Context, op string, f func(q *Queries) error) error {
	return d.retry(ctx, op, func(pool *pgxpool.Pool) error {
		return pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error { return f(New(tx)) })
	})
}

func (d *Database) retry(ctx context.Context, op string, f func(*pgxpool.Pool) error) error {
	delays := backoff.NewExponentialBackOff()
	delays.InitialInterval = firstDelay
	delays.Multiplier = 2
	_, err := backoff.Retry(ctx, func() (struct{}, error) {
		pool, err := d.Pool(ctx)
		if err == nil {
			err = Wrap(op, f(pool))
		}
		if err != nil && !IsKind(err, KindTransient) {
			err = backoff.Permanent(err)
		}
		return struct{}{}, err
	}, backoff.WithBackOff(delays), backoff.WithMaxTries(tries))
	if ctxErr := context.Cause(ctx); ctxErr != nil && err != nil && !errors.As(err, new(*Error)) {
		return ctxErr
	}
	return err
}
