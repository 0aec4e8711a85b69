package db

import (
	"context"
	cryptorand "crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/compound-docs/compound-docs/internal/process"
)

// An operation is tried again after a transient failure: up to three times, after about
// 100, 200 and 400 ms.
const (
	retries    = 3
	firstDelay = 100 * time.Millisecond
)

// How long one try may take: a server that is cut off, or hangs, never answers. A write may
// have to wait for others, and adds to large indexes.
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

	// opening holds a token while the pool is opened or read. It is a mutex, but waiting
	// for it ends with a context: a migration may take minutes.
	opening  chan struct{}
	pool     *pgxpool.Pool
	url      string // of the pool
	onOpened func(Version)
	// attempts counts the attempts to open that failed, and failure is the last one.
	attempts atomic.Int64
	failure  *Error
	// lost is set when the server or the schema has gone away, and the source has to be
	// asked again. losses counts how often that was.
	lost   atomic.Bool
	losses atomic.Int64

	// holder is the name under which it holds leases.
	holder string
	// used is when somebody last used the server, in Unix nanoseconds.
	used atomic.Int64
}

// Source makes a database available if necessary, and returns its URL.
type Source func(ctx context.Context) (url string, err error)

// NewDatabase returns a Database without connecting to it.
func NewDatabase(url string, logger *slog.Logger) *Database {
	return NewDatabaseFrom(func(context.Context) (string, error) { return url, nil }, logger)
}

// NewDatabaseFrom returns a Database without calling source. It is called when the database
// is first needed, and again each time the connection is lost. Its errors are returned
// unchanged.
func NewDatabaseFrom(source Source, logger *slog.Logger) *Database {
	d := &Database{
		source: source, logger: logger, opening: make(chan struct{}, 1), holder: process.ID() + " " + cryptorand.Text(),
	}
	d.Used()
	return d
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
		d.logger.Warn("the connections of the database do not close; they are left open")
	}
}

// Pool opens and migrates the database on the first call that succeeds, and
// returns the same pool from then on, unless the source has another URL after the
// server went away. Close closes it.
func (d *Database) Pool(ctx context.Context) (*pgxpool.Pool, error) {
	attempt := d.attempts.Load()
	select {
	case d.opening <- struct{}{}:
		defer func() { <-d.opening }()
	case <-ctx.Done():
		return nil, Wrap("open database", context.Cause(ctx))
	}
	if d.pool != nil && !d.lost.Load() {
		return d.pool, nil
	}
	if d.failure != nil && d.attempts.Load() != attempt {
		return nil, d.failure // another call has just tried: the calls that waited for it do not try again, one by one
	}
	d.lost.Store(false)
	d.failure = nil
	if err := d.open(ctx); err != nil {
		d.lost.Store(true)
		if errors.As(err, &d.failure) {
			d.attempts.Add(1)
		}
		return nil, err
	}
	return d.pool, nil
}

// OnOpened registers f to be called with the server's versions when the database is first
// opened. Call it before the database is first used. f must not use the database.
func (d *Database) OnOpened(f func(Version)) { d.onOpened = f }

// open asks the source, and makes a pool unless there is one of the same URL. It migrates
// the database in either case: somebody may have dropped it and made it again.
func (d *Database) open(ctx context.Context) error {
	url, err := d.source(ctx)
	if err != nil {
		return Wrap("open database", err)
	}
	pool := d.pool
	if pool == nil || url != d.url {
		if pool, err = newPool(ctx, url); err != nil {
			return err
		}
	}
	version, err := migrated(ctx, pool, d.logger)
	if err != nil {
		if pool != d.pool {
			pool.Close()
		} else {
			pool.Reset() // as in try
		}
		return err
	}
	if d.pool == nil && d.onOpened != nil {
		d.onOpened(version)
	}
	d.pool, d.url = pool, url // calls that use a former pool keep it
	return nil
}

// Read runs f. Each statement is one transaction and one round trip. f may run again after a
// transient failure.
func (d *Database) Read(ctx context.Context, op string, f func(q *Queries) error) error {
	return d.read(ctx, op, readTimeout, f)
}

// ReadOne is [Database.Read] for one query.
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
	return d.read(ctx, op, longReadTimeout, f)
}

func (d *Database) read(ctx context.Context, op string, timeout time.Duration, f func(q *Queries) error) error {
	return d.onConnection(ctx, op, timeout, func(ctx context.Context, conn *pgx.Conn) error {
		return f(New(&transaction{ctx: ctx, conn: conn, queue: &pgx.Batch{}, reads: true}))
	})
}

// Write runs f in one transaction. f may run again after a transient failure, even if the
// transaction was committed and only the confirmation was lost.
//
// A statement without a result is queued. A query sends the queued statements and itself in
// one round trip, and the end of f sends the rest with COMMIT. So the error of a queued
// statement is that of the next query, or of Write.
func (d *Database) Write(ctx context.Context, op string, f func(q *Queries) error) error {
	return d.onConnection(ctx, op, writeTimeout, func(ctx context.Context, conn *pgx.Conn) error {
		t := newTransaction(ctx, conn)
		return t.end(f(New(t)))
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

// retry runs f, and again after transient failures.
func (d *Database) retry(
	ctx context.Context, op string, timeout time.Duration, f func(context.Context, *pgxpool.Pool) error,
) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	for tried := 0; ; tried++ {
		pool, err := d.Pool(ctx)
		if err == nil {
			err = d.try(ctx, op, timeout, pool, f)
		}
		if err != nil && ctx.Err() != nil {
			return ended(ctx, op, err)
		}
		again := schemaMissing(err) || IsKind(err, KindTransient) && !errors.Is(err, errSilent)
		if !again || tried == retries {
			return err
		}
		delay := firstDelay << tried
		select {
		case <-ctx.Done():
			return ended(ctx, op, err)
		// The servers of a team do not come all at once.
		case <-time.After(delay/2 + rand.N(delay)): //nolint:gosec // it guards no secret
		}
	}
}

// ended returns the error of an operation whose context has ended, after err. At a deadline it
// says that the database does not answer, unless err says why.
func ended(ctx context.Context, op string, err error) error {
	switch {
	case errors.As(err, new(*Error)) && !errors.Is(err, context.DeadlineExceeded):
		return err
	case errors.Is(context.Cause(ctx), context.DeadlineExceeded):
		return silent(op, "time")
	default:
		return context.Cause(ctx)
	}
}

func silent(op, within string) *Error {
	return &Error{
		Op: op, Kind: KindTransient, Err: fmt.Errorf("%w in %s", errSilent, within), Hint: "see whether another session holds a lock " +
			"(pg_stat_activity), or PostgreSQL is overloaded or cut off, and try again",
	}
}

// errSilent means that the server did not answer in time. It is not tried again, since that
// would take as long.
var errSilent = errors.New("the database does not answer")

// try runs f once, within the time given.
func (d *Database) try(
	ctx context.Context, op string, timeout time.Duration, pool *pgxpool.Pool, f func(context.Context, *pgxpool.Pool) error,
) error {
	limited, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	err := Wrap(op, f(limited, pool))
	if err != nil && limited.Err() != nil && ctx.Err() == nil {
		err = silent(op, timeout.String())
	}
	// Other connections may be cut off too. They keep the settings of the database, which somebody
	// may mend.
	if refused(err) || err != nil && errors.Is(limited.Err(), context.DeadlineExceeded) {
		pool.Reset()
	}
	if (connectionLost(err) || schemaMissing(err)) && ctx.Err() == nil {
		// The server has ended, restarted or been cut off, so idle connections are
		// broken too, and the next try must not get one; or the schema is gone, and
		// the next try begins by migrating it.
		pool.Reset()
		d.lost.Store(true)
		d.losses.Add(1)
	}
	return err
}
