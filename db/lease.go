package db

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/compound-docs/compound-docs/internal/process"
)

// How long a lease lasts, and how often it is renewed. One that is late by more than
// leaseSuspect is reported. An idle server looks at the lease of another as often as it
// would renew its own, and one that is in use every second.
const (
	leaseTime    = 15 * time.Second
	leaseRenewal = 5 * time.Second
	leaseSuspect = 3 * time.Second
	leaseLook    = time.Second
)

// releaseTimeout bounds the wait for a lease to be given up: it delays the end of the
// process.
const releaseTimeout = 500 * time.Millisecond

// StalledError says that the server which indexes a checkout is suspended, or cut off, and
// that the index does not follow the files until another takes its place.
type StalledError struct {
	// Process is which server that is, in words, or "".
	Process string
	// Since is when it last renewed its lease, by the database's clock.
	Since time.Time
}

func (e *StalledError) Error() string {
	who := ""
	if e.Process != "" {
		who = ", " + e.Process + ","
	}
	return fmt.Sprintf("the server that indexes this checkout%s has not responded since %s, and changes since then may be missing; "+
		"another takes its place within seconds, and nothing need be done", who, e.Since.UTC().Format(time.RFC3339))
}

// Lead runs f while this process is the tenant's only indexer, and again each time it
// becomes the indexer, until ctx ends. It calls waiting each time another process is
// the indexer, with an error if there is one, such as a [*StalledError].
//
// A lease and an epoch ensure that there is only one. The lease is in the tenant's row: its
// holder, and until when it lasts by the database's clock. Its holder renews it. It is
// taken from a holder that has not for long, and at once from one whose process is known
// to have ended. The epoch is a number in the row that grows with every holder. A process
// that was cut off or suspended cannot know that it is no longer the indexer, and what it
// has read may be old. So the context given to f carries the epoch, and a write with that
// context fails once there is a later epoch. The context also ends as soon as the lease is
// known to be lost, and when the connection to the database was: a server that was
// restored may have forgotten what was written.
//
// Where the database's role may only read, f never runs, and waiting is called with an
// error while no other server indexes.
func (d *Database) Lead(ctx context.Context, tenant *Tenant, f func(ctx context.Context), waiting func(reason error)) {
	for ctx.Err() == nil {
		losses := d.losses.Load()
		epoch, err := d.tryLead(ctx, tenant)
		if epoch != 0 {
			d.leadWith(ctx, tenant, epoch, losses, f)
			continue
		}
		if ctx.Err() == nil {
			waiting(err)
		}
		d.use.rest(ctx, leaseLook, leaseRenewal)
	}
}

// tryLead takes the lease if it is free. If it is another's, the epoch is 0, and the error
// says what is wrong with that, if anything.
func (d *Database) tryLead(ctx context.Context, tenant *Tenant) (epoch int64, err error) {
	var lease TenantLeaseRow
	err = d.ask(ctx, "look at lease", readTimeout, func(ctx context.Context, q *Queries) error {
		lease, err = q.TenantLease(ctx, TenantLeaseParams{
			ProjectID: tenant.ProjectID, ID: tenant.ID, Generation: tenant.Generation, Seconds: leaseTime.Seconds(),
		})
		return err
	})
	gone := ""
	if process.Gone(lease.Holder) {
		gone = lease.Holder
	}
	renewed := lease.LeaseUntil.Add(-leaseTime)
	switch free := lease.Ended || gone != "" || lease.Holder == d.holder; {
	case IsNoRows(err):
		return 0, ErrTenantGone
	case err != nil:
		return 0, err
	case free && tenant.ReadOnly:
		return 0, errReadOnly("follow the files", "no server indexes this checkout now, and this one may only read the index")
	case free:
		return d.takeLease(ctx, tenant, gone)
	case lease.Now.Sub(renewed) > leaseRenewal+leaseSuspect:
		return 0, &StalledError{Process: process.Describe(lease.Holder), Since: renewed}
	default:
		return 0, nil
	}
}

// takeLease takes the lease, or renews it. The epoch is 0 if it is another's.
func (d *Database) takeLease(ctx context.Context, tenant *Tenant, gone string) (epoch int64, err error) {
	err = d.ask(ctx, "take lease", writeTimeout, func(ctx context.Context, q *Queries) error {
		epoch, err = q.TenantTakeLease(ctx, TenantTakeLeaseParams{
			ProjectID: tenant.ProjectID, ID: tenant.ID, Generation: tenant.Generation,
			Holder: d.holder, Gone: gone, Seconds: leaseTime.Seconds(),
		})
		return err
	})
	if IsNoRows(err) {
		return 0, nil
	}
	return epoch, err
}

// leadWith runs f while the lease is renewed, and gives it up. losses are those from before
// the lease was taken.
func (d *Database) leadWith(ctx context.Context, tenant *Tenant, epoch, losses int64, f func(ctx context.Context)) {
	leading, cancel := context.WithCancel(withEpoch(ctx, epoch))
	var renewing sync.WaitGroup
	renewing.Go(func() {
		defer cancel()
		d.renewLease(leading, tenant, epoch, losses)
	})
	f(leading)
	cancel()
	renewing.Wait()
	ctx, cancel = context.WithTimeout(context.WithoutCancel(ctx), releaseTimeout)
	defer cancel()
	err := d.ask(ctx, "give up lease", writeTimeout, func(ctx context.Context, q *Queries) error {
		return q.TenantGiveUpLease(ctx, TenantGiveUpLeaseParams{ProjectID: tenant.ProjectID, ID: tenant.ID, Holder: d.holder})
	})
	if err != nil {
		d.logger.DebugContext(ctx, "give up lease", "error", err)
	}
}

// renewLease renews the lease until it is lost, or ctx ends. While the database does not
// answer it is not known to be lost: nobody else can take it there either.
func (d *Database) renewLease(ctx context.Context, tenant *Tenant, epoch, losses int64) {
	var took time.Duration
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(leaseRenewal - took):
		}
		// A renewal that had to wait for a transaction is soon followed by another.
		began := time.Now()
		renewed, err := d.takeLease(ctx, tenant, "")
		switch {
		case ctx.Err() != nil:
			return
		case err == nil && renewed != epoch:
			d.logger.WarnContext(ctx, "another server has become the indexer of this checkout")
			return
		case d.losses.Load() != losses:
			d.logger.WarnContext(ctx, "the database was lost, so the files are compared with the index again", "error", err)
			return
		case err != nil:
			d.logger.DebugContext(ctx, "renew lease", "error", err)
		}
		took = time.Since(began)
	}
}

// ask makes one statement on a lease: through the pool while somebody uses this server,
// else over a connection of its own, so that the pool's can end.
func (d *Database) ask(
	ctx context.Context, op string, timeout time.Duration, f func(ctx context.Context, q *Queries) error,
) error {
	return d.retry(ctx, op, timeout, func(ctx context.Context, pool *pgxpool.Pool) error {
		if !d.use.idle() {
			return pool.AcquireFunc(ctx, func(conn *pgxpool.Conn) error { return f(ctx, New(conn.Conn())) })
		}
		conn, err := pgx.ConnectConfig(ctx, pool.Config().ConnConfig)
		if err != nil {
			return err //nolint:wrapcheck // retry does
		}
		return errors.Join(f(ctx, New(conn)), conn.Close(ctx))
	})
}

type epochKey struct{}

func withEpoch(ctx context.Context, epoch int64) context.Context {
	return context.WithValue(ctx, epochKey{}, epoch)
}

// EpochOf returns the epoch of the indexer that acts under ctx, and nil for a
// call that need not be the indexer's.
func EpochOf(ctx context.Context) *int64 {
	if epoch, ok := ctx.Value(epochKey{}).(int64); ok {
		return &epoch
	}
	return nil
}

// idleAfter is how long nobody uses a server until it is idle.
const idleAfter = time.Minute

// use is when somebody last used the server. Safe for concurrent use.
type use struct {
	mu      sync.Mutex
	last    time.Time
	resumed chan struct{} // closed and replaced when the server is used again
}

func newUse() *use { return &use{last: time.Now(), resumed: make(chan struct{})} }

// Used notes that somebody uses the server, and reports whether it was idle: then what it
// knows of the index may be some seconds old.
func (d *Database) Used() (wasIdle bool) {
	u := d.use
	u.mu.Lock()
	defer u.mu.Unlock()
	wasIdle = u.isIdle()
	u.last = time.Now()
	if wasIdle {
		close(u.resumed)
		u.resumed = make(chan struct{})
	}
	return wasIdle
}

// Idle reports whether nobody has used the server for a minute. It then asks the database
// only for its lease, and every few seconds.
func (d *Database) Idle() bool { return d.use.idle() }

func (u *use) idle() bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.isIdle()
}

func (u *use) isIdle() bool { return time.Since(u.last) > idleAfter }

// rest waits: for a shorter time while the server is in use. It ends when the server is
// used again, and with ctx.
func (u *use) rest(ctx context.Context, inUse, idle time.Duration) {
	u.mu.Lock()
	wait, resumed := inUse, u.resumed
	if u.isIdle() {
		wait = idle
	}
	u.mu.Unlock()
	select {
	case <-ctx.Done():
	case <-resumed:
	case <-time.After(wait):
	}
}
