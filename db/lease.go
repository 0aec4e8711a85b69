package db

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/compound-docs/compound-docs/internal/process"
)

// How long a lease lasts, and how often it is renewed. One that is late by more than
// leaseSuspect is reported. The function lease_free of the schema knows leaseTime too.
const (
	leaseTime    = 15 * time.Second
	leaseRenewal = 5 * time.Second
	leaseSuspect = 3 * time.Second
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
	return fmt.Sprintf("the server that indexes this checkout%s has not responded since %s; "+
		"later changes may be missing until another takes over, within seconds", who, e.Since.UTC().Format(time.RFC3339))
}

// Lease is how a server becomes the only indexer of a tenant. Not safe for concurrent use.
//
// A lease and an epoch ensure that there is only one. The lease is in the tenant's row: its
// holder, and until when it lasts by the database's clock. The holder renews it. Another
// server takes it when it has ended, and at once if the holder's process is known to have
// ended. The epoch is a number in the row that grows with every holder. A process that was
// cut off or suspended cannot know that it is no longer the indexer, and what it has read
// may be old. So an indexer works with a [Lease.Context], which carries the epoch, and a
// write with that context fails once there is a later epoch.
type Lease struct {
	database *Database
	tenant   *Tenant
	// epoch is that of the lease, 0 while this server does not hold it.
	epoch int64
	// renewed is when the last renewal began, and losses counts the losses of the database
	// before the lease was taken.
	renewed time.Time
	losses  int64
}

// NewLease returns a lease that is not held.
func NewLease(database *Database, tenant *Tenant) *Lease {
	return &Lease{database: database, tenant: tenant}
}

// Held reports whether this server holds the lease, as far as it knows.
func (l *Lease) Held() bool { return l.epoch != 0 }

// Context returns the context for an indexer's work while the lease is held.
func (l *Lease) Context(ctx context.Context) context.Context {
	return context.WithValue(ctx, epochKey{}, l.epoch)
}

// Seen is what the tenant's row said at one moment.
type Seen struct {
	// Version counts the changes of the tenant's documents.
	Version int64
	// SyncStatus is what the server that indexes has published, nil for nothing.
	SyncStatus []byte
}

// Look reads the tenant's row, and takes the lease if it is free, or renews it when that is
// due. Call it about once a second, or every 5 seconds while the server is idle. When a held
// lease is lost, the caller ends its work before it looks again.
//
// The lease is also lost together with the connection to the database: a restored database
// may have forgotten what was written. While the database does not answer, the lease is not
// known to be lost: nobody else can take it there either.
//
// The error is [ErrTenantGone] after a deletion, a [*StalledError] while the holder is
// silent, and says so if no server indexes the tenant and this one may only read.
func (l *Lease) Look(ctx context.Context) (Seen, error) {
	seen, err := l.look(ctx)
	if l.Held() && l.database.losses.Load() != l.losses {
		l.lose(ctx, "the database was lost, so the files are compared with the index again")
	}
	return seen, err
}

func (l *Lease) look(ctx context.Context) (Seen, error) {
	losses := l.database.losses.Load()
	if l.Held() && time.Since(l.renewed) >= leaseRenewal {
		return l.take(ctx, "", l.losses)
	}
	var row TenantStateRow
	err := l.ask(ctx, "look at the tenant", readTimeout, func(ctx context.Context, q *Queries) (err error) {
		row, err = q.TenantState(ctx, TenantStateParams{
			ProjectID: l.tenant.ProjectID, ID: l.tenant.ID, Generation: l.tenant.Generation,
		})
		return err
	})
	if IsNoRows(err) {
		l.epoch = 0
		return Seen{}, ErrTenantGone
	}
	if err != nil {
		return Seen{}, err
	}
	seen := Seen{Version: row.Version, SyncStatus: row.SyncStatus}
	own, gone := row.Holder == l.database.holder, ""
	if process.Gone(row.Holder) {
		gone = row.Holder
	}
	renewed := row.LeaseUntil.Add(-leaseTime)
	switch free := row.Free || own || gone != ""; {
	case l.Held() && (!own || row.Epoch != l.epoch):
		l.lose(ctx, "another server has become the indexer of this checkout")
		return seen, nil
	case l.Held():
		return seen, nil
	case free && l.tenant.ReadOnly:
		return seen, errReadOnly("follow the files", "no server indexes this checkout now, and this one may only read the index")
	case free:
		return l.take(ctx, gone, losses)
	case row.Now.Sub(renewed) > leaseRenewal+leaseSuspect:
		return seen, &StalledError{Process: process.Describe(row.Holder), Since: renewed}
	default:
		return seen, nil
	}
}

// take takes or renews the lease, unless it is another's. gone is a holder whose process has
// ended, or "".
func (l *Lease) take(ctx context.Context, gone string, losses int64) (Seen, error) {
	began := time.Now() // a renewal that has to wait for a transaction is soon followed by another
	var row TenantTakeLeaseRow
	err := l.ask(ctx, "take lease", writeTimeout, func(ctx context.Context, q *Queries) (err error) {
		row, err = q.TenantTakeLease(ctx, TenantTakeLeaseParams{
			ProjectID: l.tenant.ProjectID, ID: l.tenant.ID, Generation: l.tenant.Generation,
			Holder: l.database.holder, Gone: gone, Seconds: leaseTime.Seconds(),
		})
		return err
	})
	switch {
	case err != nil && !IsNoRows(err):
		return Seen{}, err
	case l.Held() && row.Epoch != l.epoch: // 0 if the lease is another's
		l.lose(ctx, "another server has become the indexer of this checkout")
	case row.Epoch != 0:
		l.epoch, l.renewed, l.losses = row.Epoch, began, losses
	}
	return Seen{Version: row.Version}, nil
}

func (l *Lease) lose(ctx context.Context, why string) {
	l.epoch = 0
	l.database.logger.WarnContext(ctx, "this server no longer indexes the checkout", "reason", why)
}

// GiveUp frees the lease unless it is another's by now. Call it when the indexer's work has
// ended. It works after ctx has ended, for a moment.
func (l *Lease) GiveUp(ctx context.Context) {
	l.epoch = 0
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), releaseTimeout)
	defer cancel()
	err := l.ask(ctx, "give up lease", writeTimeout, func(ctx context.Context, q *Queries) error {
		return q.TenantGiveUpLease(ctx, TenantGiveUpLeaseParams{
			ProjectID: l.tenant.ProjectID, ID: l.tenant.ID, Holder: l.database.holder,
		})
	})
	if err != nil {
		l.database.logger.DebugContext(ctx, "give up lease", "error", err)
	}
}

// ask makes one statement. It uses the pool while somebody uses this server, and otherwise
// its own connection, so that those of the pool can end.
func (l *Lease) ask(
	ctx context.Context, op string, timeout time.Duration, f func(ctx context.Context, q *Queries) error,
) error {
	return l.database.retry(ctx, op, timeout, func(ctx context.Context, pool *pgxpool.Pool) error {
		if !l.database.Idle() {
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

// Used notes that somebody uses the server, and reports whether it was idle: then what it
// knows of the index may be some seconds old.
func (d *Database) Used() (wasIdle bool) {
	now := time.Now()
	return now.Sub(time.Unix(0, d.used.Swap(now.UnixNano()))) > idleAfter
}

// Idle reports whether nobody has used the server for a minute. It then asks the database
// only for its tenant's row, and every few seconds.
func (d *Database) Idle() bool {
	return time.Since(time.Unix(0, d.used.Load())) > idleAfter
}
