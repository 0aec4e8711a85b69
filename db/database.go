package db

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// After a transient failure, an operation is tried again up to three times, after approximately 100, 200 and 400 ms.
const (
	retries    = 3
	firstDelay = 100 * time.Millisecond
)

// Time limits for one try of an operation, because a PostgreSQL that hangs or is cut off never answers. A write gets
// more time, because it may wait for other writes and because it changes large indexes.
const (
	readTimeout     = 15 * time.Second
	writeTimeout    = 2 * time.Minute
	longReadTimeout = time.Hour
)

// closeTimeout is how long Close waits for connections to end, because PostgreSQL may hang.
const closeTimeout = time.Second

// Database is a PostgreSQL database that may be unavailable. The first operation opens and migrates it. Every
// operation is tried again after a transient failure. Safe for concurrent use.
type Database struct {
	source URLSource
	logger *slog.Logger

	// opening locks the next four fields. It is a channel for one value, not a mutex, so that the wait for this lock
	// can end with the caller's context: a migration may take minutes.
	opening  chan struct{}
	pool     *pgxpool.Pool
	url      string       // URL of the pool
	failure  *Error       // the last failure to open, or nil
	failures atomic.Int64 // number of failures to open

	lost   atomic.Bool  // PostgreSQL or the schema is gone, so Pool must open the database again
	losses atomic.Int64 // how often PostgreSQL or the schema was lost

	holder string       // name of this process in leases
	used   atomic.Int64 // when Used was last called, in Unix nanoseconds
}

// URLSource makes a database available if necessary, and returns its URL.
type URLSource func(ctx context.Context) (url string, err error)

// NewDatabase returns a Database that calls source at its first use, and again after each loss of the connection. If
// source fails with an [*Error], operations return this error unchanged. They wrap any other error.
func NewDatabase(source URLSource, logger *slog.Logger) *Database {
	d := &Database{
		source: source, logger: logger, opening: make(chan struct{}, 1), holder: processName() + " " + rand.Text(),
	}
	d.Used()
	return d
}

// Close closes the pool, and waits up to a second until its connections have ended. Cancel all operations first.
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
		d.logger.Warn("the connections of the database do not close; they are left open")
	}
}

// Pool returns the pool. The first call opens and migrates the database. The pool changes only if the source returns
// another URL after a loss. Callers must not close the pool, because Close closes it.
func (d *Database) Pool(ctx context.Context) (*pgxpool.Pool, error) {
	failures := d.failures.Load()
	select {
	case d.opening <- struct{}{}:
		defer func() { <-d.opening }()
	case <-ctx.Done():
		return nil, Wrap("open database", context.Cause(ctx))
	}
	if d.pool != nil && !d.lost.Load() {
		return d.pool, nil
	}
	if d.failure != nil && d.failures.Load() != failures {
		return nil, d.failure // another call has just failed; do not let every waiting call try again
	}
	d.lost.Store(false)
	d.failure = nil
	if err := d.open(ctx); err != nil {
		d.lost.Store(true)
		if errors.As(err, &d.failure) {
			d.failures.Add(1)
		}
		return nil, err
	}
	return d.pool, nil
}

// open asks the source for the URL, and makes a pool if the URL is new. It always checks the migrations, because
// somebody may have dropped the database and made it again.
func (d *Database) open(ctx context.Context) error {
	url, err := d.source(ctx)
	if err != nil {
		return Wrap("open database", err)
	}
	pool := d.pool
	if pool == nil || url != d.url {
		pool, err = newPool(ctx, url)
		if err != nil {
			return err
		}
	}
	err = migrated(ctx, pool, d.logger)
	if err != nil {
		if pool != d.pool {
			pool.Close()
		} else {
			pool.Reset() // closes the idle connections; try says why
		}
		return err
	}
	d.pool, d.url = pool, url // the pool of an earlier URL stays open for calls that use it
	return nil
}

// Read runs f. Each statement of f is one transaction and one round trip. f may run again after a transient failure.
func (d *Database) Read(ctx context.Context, op string, f func(q *Queries) error) error {
	return d.inSession(ctx, op, readTimeout, false, f)
}

// ReadOne runs one query with [Database.Read] and returns its result.
func ReadOne[Params, Result any](
	ctx context.Context, d *Database, op string, query func(*Queries, context.Context, Params) (Result, error), params Params,
) (result Result, err error) {
	err = d.Read(ctx, op, func(q *Queries) error {
		result, err = query(q, ctx, params)
		return err
	})
	return result, err
}

// ReadLong is a Read that may take up to an hour.
func (d *Database) ReadLong(ctx context.Context, op string, f func(q *Queries) error) error {
	return d.inSession(ctx, op, longReadTimeout, false, f)
}

// Write runs f in one transaction. Each statement is a round trip, and the commit is another one. f may run again after
// a transient failure, even if PostgreSQL has committed the transaction and only its answer was lost.
func (d *Database) Write(ctx context.Context, op string, f func(q *Queries) error) error {
	return d.inSession(ctx, op, writeTimeout, true, f)
}

// WriteBatch is a Write that sends all statements of f in one round trip. See [Batch].
func (d *Database) WriteBatch(ctx context.Context, op string, f func(q *Queries) error) error {
	return d.inSession(ctx, op, writeTimeout, false, func(q *Queries) error { return Batch(q, f) })
}

func (d *Database) inSession(ctx context.Context, op string, timeout time.Duration, writes bool, f func(q *Queries) error) error {
	return d.onConnection(ctx, op, timeout, func(ctx context.Context, conn *pgx.Conn) error {
		s := &session{ctx: ctx, conn: conn, writes: writes}
		return s.end(f(New(s)))
	})
}

// onConnection runs f with a connection of the pool. f may run again after a transient failure.
func (d *Database) onConnection(
	ctx context.Context, op string, timeout time.Duration, f func(ctx context.Context, conn *pgx.Conn) error,
) error {
	return d.retry(ctx, op, timeout, func(ctx context.Context, pool *pgxpool.Pool) error {
		return pool.AcquireFunc(ctx, func(conn *pgxpool.Conn) error { return f(ctx, conn.Conn()) })
	})
}

// retry runs f, and runs it again after transient failures. The delays are random, so that the servers of a team do not
// try all at once. If ctx ends, retry returns the error of the last try. If this error says only that ctx has ended,
// retry returns another error: the database does not answer, or the reason why ctx was cancelled.
func (d *Database) retry(
	ctx context.Context, op string, timeout time.Duration, f func(context.Context, *pgxpool.Pool) error,
) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	delays := backoff.NewExponentialBackOff()
	delays.InitialInterval, delays.Multiplier = firstDelay, 2
	last, _ := backoff.Retry(ctx, func() (error, error) {
		err := d.try(ctx, op, timeout, f)
		if again := schemaMissing(err) || IsKind(err, KindTransient) && !errors.Is(err, errSilent); !again {
			return err, backoff.Permanent(err)
		}
		return err, err
	}, backoff.WithBackOff(delays), backoff.WithMaxTries(1+retries), backoff.WithMaxElapsedTime(0))
	switch {
	case last == nil, ctx.Err() == nil:
		return last
	case errors.As(last, new(*Error)) && !errors.Is(last, context.DeadlineExceeded):
		return last
	case errors.Is(context.Cause(ctx), context.DeadlineExceeded):
		return silent(op, "time")
	default:
		return context.Cause(ctx)
	}
}

func silent(op, within string) *Error {
	return &Error{
		Op: op, Kind: KindTransient, Err: fmt.Errorf("%w in %s", errSilent, within), Hint: "see whether another session holds a lock " +
			"(pg_stat_activity), PostgreSQL is overloaded or cut off, or a pooler has no session left " +
			"(put pool_max_conns=1 into every CDOCS_DATABASE_URL), and try again",
	}
}

// errSilent means that PostgreSQL did not answer in time. There is no second try, because it would wait as long again.
var errSilent = errors.New("the database does not answer")

func (d *Database) try(
	ctx context.Context, op string, timeout time.Duration, f func(context.Context, *pgxpool.Pool) error,
) error {
	pool, err := d.Pool(ctx)
	if err != nil {
		return err
	}
	limited, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	err = Wrap(op, f(limited, pool))
	if err != nil && limited.Err() != nil && ctx.Err() == nil {
		err = silent(op, timeout.String())
	}
	// Like this connection, the idle connections of the pool may be cut off, or still have old settings of the database.
	// Without them, the next call connects again.
	if refused(err) || err != nil && errors.Is(limited.Err(), context.DeadlineExceeded) {
		pool.Reset()
	}
	if (connectionLost(err) || schemaMissing(err)) && ctx.Err() == nil {
		// If PostgreSQL has ended or is cut off, the next try must not get an idle connection. If the schema is gone, the
		// next try must migrate first.
		pool.Reset()
		d.lost.Store(true)
		d.losses.Add(1)
	}
	return err
}
