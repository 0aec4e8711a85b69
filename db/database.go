package db

import (
	"context"
	"errors"
	"log/slog"
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

// closeTimeout bounds the wait for connections to end: PostgreSQL may hang.
const closeTimeout = time.Second

// Database is a PostgreSQL database that may be away: it is opened and migrated
// when it is first needed, and every operation is tried again after a transient
// failure. Safe for concurrent use.
type Database struct {
	url    string
	logger *slog.Logger

	// opening holds a token while somebody opens or looks at the pool: a mutex
	// that can be waited for with a context, since a migration may take minutes.
	opening chan struct{}
	pool    *pgxpool.Pool
}

// NewDatabase returns a Database without connecting to it.
func NewDatabase(url string, logger *slog.Logger) *Database {
	return &Database{url: url, logger: logger, opening: make(chan struct{}, 1)}
}

// Close closes the pool, if one was opened, and waits a moment for its
// connections. What is under way is its callers' to cancel.
func (d *Database) Close() {
	d.opening <- struct{}{}
	pool := d.pool
	d.pool = nil
	<-d.opening
	if pool == nil {
		return
	}
	closed := make(chan struct{})
	go func() {
		pool.Close()
		close(closed)
	}()
	select {
	case <-closed:
	case <-time.After(closeTimeout):
		d.logger.Warn("the database does not let go of its connections; they are left behind")
	}
}

// Pool opens and migrates the database on the first call that succeeds, and
// returns the same pool from then on. Close closes it.
func (d *Database) Pool(ctx context.Context) (*pgxpool.Pool, error) {
	select {
	case d.opening <- struct{}{}:
		defer func() { <-d.opening }()
	case <-ctx.Done():
		return nil, Wrap("open database", context.Cause(ctx))
	}
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
// may run again after a transient failure, even one that has hidden a commit.
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
			if err = Wrap(op, f(pool)); connectionLost(err) && ctx.Err() == nil {
				// The server has ended or restarted, so that the connections at
				// rest are broken too: the next try must not be given one.
				pool.Reset()
			}
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
