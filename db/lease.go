package db

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// LockIndexer is the advisory lock class of a tenant's one indexer.
const LockIndexer = 0x63646f69 // "cdoi"

// How often a held lease is checked, and how long the server may take to answer.
// The check is also the holder's heartbeat, which [Database.LeaseHolder] reads. A
// release is given up sooner, because it delays the end of the process.
const (
	leaseCheck     = time.Second
	leaseTimeout   = 5 * time.Second
	releaseTimeout = 500 * time.Millisecond
)

// Lease is a session-level advisory lock on a connection of its own. A goroutine of its
// own keeps the connection alive, so that other work does not delay it. PostgreSQL frees
// the lock when the process or the connection dies.
type Lease struct {
	conn   *pgx.Conn
	cancel context.CancelFunc
	lost   chan struct{}
	done   sync.WaitGroup
}

// TryLease takes the lock if it is free, and returns nil otherwise. The caller releases
// the lease.
func (d *Database) TryLease(ctx context.Context, class, id int32) (lease *Lease, err error) {
	err = d.retry(ctx, "take lease", readTimeout, func(limited context.Context, pool *pgxpool.Pool) error {
		pooled, err := pool.Acquire(limited)
		if err != nil {
			return fmt.Errorf("acquire connection: %w", err)
		}
		var taken bool
		err = pooled.QueryRow(limited, "SELECT pg_try_advisory_lock($1, $2)", pgx.QueryExecModeExec, class, id).Scan(&taken)
		if err != nil || !taken {
			pooled.Release()
			return err //nolint:wrapcheck // retry does
		}
		watchCtx, cancel := context.WithCancel(context.WithoutCancel(ctx))
		lease = &Lease{conn: pooled.Hijack(), cancel: cancel, lost: make(chan struct{})}
		lease.done.Go(func() { lease.watch(watchCtx) })
		return nil
	})
	return lease, err
}

// Lost is closed when the lease is no longer known to be held.
func (l *Lease) Lost() <-chan struct{} { return l.lost }

// Release frees the lock and closes its connection. It unlocks first, because PostgreSQL
// notices a closed connection later. After an error PostgreSQL frees the lock by itself.
func (l *Lease) Release() error {
	l.cancel()
	l.done.Wait()
	ctx, cancel := context.WithTimeout(context.Background(), releaseTimeout)
	defer cancel()
	var unlockErr error
	if !l.conn.IsClosed() {
		_, unlockErr = l.conn.Exec(ctx, "SELECT pg_advisory_unlock_all()")
	}
	if err := errors.Join(unlockErr, l.conn.Close(ctx)); err != nil {
		return fmt.Errorf("release lease: %w", err)
	}
	return nil
}

// watch waits for the connection to fail, or for the lease's release. A server that ends
// reports it at once; one that is cut off is found by a ping.
func (l *Lease) watch(ctx context.Context) {
	for {
		waitCtx, cancel := context.WithTimeout(ctx, leaseCheck)
		// No notification comes: this is how pgx listens to an idle connection.
		_, err := l.conn.WaitForNotification(waitCtx)
		cancel()
		if pgconn.Timeout(err) && ctx.Err() == nil {
			pingCtx, cancel := context.WithTimeout(ctx, leaseTimeout)
			err = l.conn.Ping(pingCtx)
			cancel()
		}
		if ctx.Err() != nil {
			return
		}
		if err != nil {
			close(l.lost)
			return
		}
	}
}
