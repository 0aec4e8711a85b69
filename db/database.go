package db

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// How often an operation is tried after transient failures: three times, 100 and 200 ms
// apart.
const (
	tries      = 3
	firstDelay = 100 * time.Millisecond
)

// How long one try may take, since a server that is cut off, or hangs, never answers. A
// write may have to wait for others, and adds to large indexes.
const (
	readTimeout     = 15 * time.Second
	writeTimeout    = 2 * time.Minute
	longReadTimeout = time.Hour
)

// closeTimeout bounds the wait for connections to end: PostgreSQL may hang.
const closeTimeout = time.Second

// Database is a PostgreSQL database that may be unavailable. It is opened and migrated
// when it is first needed, and every operation is tried again after a transient
// failure. Safe for concurrent use.
type Database struct {
	source Source
	logger *slog.Logger

	// opening holds a token while the pool is opened or read. It is a mutex that can be
	// waited for with a context, since a migration may take minutes.
	opening chan struct{}
	pool    *pgxpool.Pool
	url     string // of the pool
	// lost is set when the server has gone away, and the source has to be asked again.
	lost atomic.Bool
}

// Source returns the URL of a database, after it has made the database available if
// need be.
type Source func(ctx context.Context) (url string, err error)

// NewDatabase returns a Database without connecting to it.
func NewDatabase(url string, logger *slog.Logger) *Database {
	return NewDatabaseFrom(func(context.Context) (string, error) { return url, nil }, logger)
}

// NewDatabaseFrom returns a Database without asking the source. That is asked when the
// database is first needed, and again each time the connection is lost. Its errors are
// returned as they are.
func NewDatabaseFrom(source Source, logger *slog.Logger) *Database {
	return &Database{source: source, logger: logger, opening: make(chan struct{}, 1)}
}

// Close closes the pool, if one was opened, and waits a moment for its
// connections. Callers cancel what is under way.
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
// returns the same pool from then on, unless the source has another URL after the
// server went away. Close closes it.
func (d *Database) Pool(ctx context.Context) (*pgxpool.Pool, error) {
	select {
	case d.opening <- struct{}{}:
		defer func() { <-d.opening }()
	case <-ctx.Done():
		return nil, Wrap("open database", context.Cause(ctx))
	}
	if d.pool != nil && !d.lost.Load() {
		return d.pool, nil
	}
	d.lost.Store(false)
	if err := d.open(ctx); err != nil {
		d.lost.Store(true)
		return nil, err
	}
	return d.pool, nil
}

// open asks the source, and opens a pool unless there is one of the same URL.
func (d *Database) open(ctx context.Context) error {
	url, err := d.source(ctx)
	if err != nil {
		return Wrap("open database", err)
	}
	if d.pool != nil && url == d.url {
		return nil
	}
	pool, err := Open(ctx, url, d.logger)
	if err != nil {
		return err
	}
	d.pool, d.url = pool, url // a former pool is left to those who still use it
	return nil
}

// Read runs f against the pool. f may run again after a transient failure.
func (d *Database) Read(ctx context.Context, op string, f func(q *Queries) error) error {
	return d.read(ctx, op, readTimeout, f)
}

// ReadLong is a Read that may take up to an hour.
func (d *Database) ReadLong(ctx context.Context, op string, f func(q *Queries) error) error {
	return d.read(ctx, op, longReadTimeout, f)
}

func (d *Database) read(ctx context.Context, op string, timeout time.Duration, f func(q *Queries) error) error {
	return d.onConnection(ctx, op, timeout, func(ctx context.Context, conn *pgx.Conn) error {
		return f(New(&session{ctx: ctx, conn: conn}))
	})
}

// onConnection runs f with a connection of the pool. f may run again after a transient
// failure.
func (d *Database) onConnection(
	ctx context.Context, op string, timeout time.Duration, f func(ctx context.Context, conn *pgx.Conn) error,
) error {
	return d.retry(ctx, op, timeout, func(ctx context.Context, pool *pgxpool.Pool) error {
		return pool.AcquireFunc(ctx, func(conn *pgxpool.Conn) error { return f(ctx, conn.Conn()) })
	})
}

// Write runs f in one transaction: all of it is there afterwards, or none. f
// may run again after a transient failure, even one that has hidden a commit.
//
// The transaction begins with the first query, in the same round trip, and ends with
// those of [Queries.Commit] or in a round trip of its own.
func (d *Database) Write(ctx context.Context, op string, f func(q *Queries) error) error {
	return d.onConnection(ctx, op, writeTimeout, func(ctx context.Context, conn *pgx.Conn) error {
		s := &session{ctx: ctx, conn: conn, begin: beginWrite()}
		return s.endTransaction(f(New(s)))
	})
}

// beginWrite begins a transaction that writes. PostgreSQL checks the foreign keys of each
// row by a query of its own, which [Open] would have planned every time.
func beginWrite() []statement {
	return []statement{{sql: "BEGIN"}, {sql: "SET LOCAL plan_cache_mode = auto"}}
}

// WriteOne is Write for a single statement, which is a transaction of its own.
func (d *Database) WriteOne(ctx context.Context, op string, f func(q *Queries) error) error {
	return d.read(ctx, op, writeTimeout, f)
}

func (d *Database) retry(
	ctx context.Context, op string, timeout time.Duration, f func(context.Context, *pgxpool.Pool) error,
) error {
	delays := backoff.NewExponentialBackOff()
	delays.InitialInterval = firstDelay
	delays.Multiplier = 2
	_, err := backoff.Retry(ctx, func() (struct{}, error) {
		pool, err := d.Pool(ctx)
		if err == nil {
			err = d.try(ctx, op, timeout, pool, f)
		}
		if err != nil && (!IsKind(err, KindTransient) || errors.Is(err, errSilent)) {
			err = backoff.Permanent(err)
		}
		return struct{}{}, err
	}, backoff.WithBackOff(delays), backoff.WithMaxTries(tries))
	if ctxErr := context.Cause(ctx); ctxErr != nil && err != nil && !errors.As(err, new(*Error)) {
		return ctxErr
	}
	return err
}

// errSilent says that the server did not answer in time. Another try would take as
// long.
var errSilent = errors.New("the database does not answer")

// try runs f once, within the time given.
func (d *Database) try(
	ctx context.Context, op string, timeout time.Duration, pool *pgxpool.Pool, f func(context.Context, *pgxpool.Pool) error,
) error {
	limited, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	err := Wrap(op, f(limited, pool))
	if err != nil && limited.Err() != nil && ctx.Err() == nil {
		err = &Error{
			Op: op, Kind: KindTransient, Hint: "see whether PostgreSQL is overloaded or cut off, and try again",
			Err: fmt.Errorf("%w in %s", errSilent, timeout),
		}
	}
	if connectionLost(err) && ctx.Err() == nil {
		// The server has ended, restarted or been cut off, so idle connections are
		// broken too, and the next try must not get one.
		pool.Reset()
		d.lost.Store(true)
	}
	return err
}
