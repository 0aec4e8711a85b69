package db

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// A lease lasts leaseTime. The SQL function lease_free depends on this value. The holder renews its lease every
// leaseRenewal. If the renewal is later than that by leaseSuspect, other servers report that the holder is stalled.
const (
	leaseTime    = 15 * time.Second
	leaseRenewal = 5 * time.Second
	leaseSuspect = 3 * time.Second
)

// releaseTimeout limits GiveUp, because GiveUp delays the end of the process.
const releaseTimeout = 500 * time.Millisecond

// StalledError says that the server that indexes a checkout is suspended or cut off. The index does not follow the
// files until another server takes the lease.
type StalledError struct {
	Process string    // such as "process 4711 on laptop", or ""
	Since   time.Time // when that process last renewed its lease, by the database's clock
}

func (e *StalledError) Error() string {
	who := ""
	if e.Process != "" {
		who = ", " + e.Process + ","
	}
	return fmt.Sprintf("the server that indexes this checkout%s has not responded since %s; "+
		"later changes may be missing until another takes over, within seconds", who, e.Since.UTC().Format(time.RFC3339))
}

// Lease makes a server the only indexer of a tenant, which is a checkout on one branch. Not safe for concurrent use.
//
// The tenant's row in the database names the holder and when the lease ends, by the database's clock. After that time
// another server can take the lease.
//
// The row also has an epoch, a number that grows with every new holder. A process that was suspended or cut off does
// not know that it has lost the lease, and may have read old data. So an indexer works with a [Lease.Context], which
// carries the epoch of its lease. A write with that context fails if the row has a later epoch.
type Lease struct {
	database *Database
	tenant   *Tenant
	epoch    int64     // 0 while this server does not hold the lease
	renewed  time.Time // when the last renewal began
	losses   int64     // database.losses when this server took the lease
}

// NewLease returns a lease that is not held.
func NewLease(database *Database, tenant *Tenant) *Lease {
	return &Lease{database: database, tenant: tenant}
}

// Held reports whether this server holds the lease, as far as it knows.
func (l *Lease) Held() bool { return l.epoch != 0 }

// Context returns a context for an indexer's work. It carries the present epoch.
func (l *Lease) Context(ctx context.Context) context.Context {
	return context.WithValue(ctx, epochKey{}, l.epoch)
}

// Seen is what the tenant's row said at one moment.
type Seen struct {
	Version    int64  // counts the changes of the tenant's documents
	SyncStatus []byte // published by the server that indexes, as JSON, or nil
}

// Look reads the tenant's row. If the lease is free, Look takes it. If this server holds the lease, Look renews it
// every leaseRenewal. Call Look approximately once a second, or every 5 seconds while the server is idle. If Held was
// true and is false after a call, end the indexer's work before the next call.
//
// A loss of the connection to the database also ends the lease, because the database may have been restored without the
// last writes. A statement that gets no answer within its time limit counts as a loss. While the statement waits, this
// server keeps the lease, because no other server can take it.
//
// The error is [ErrTenantGone] if somebody deleted the tenant, and a [*StalledError] if another server holds the lease
// and is late with a renewal. Look also fails if the lease is free and this server may only read.
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
		return l.take(ctx, l.losses)
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
	own := row.Holder == l.database.holder
	renewed := row.LeaseUntil.Add(-leaseTime)
	switch free := row.Free || own; {
	case l.Held() && (!own || row.Epoch != l.epoch):
		l.lose(ctx, "another server has become the indexer of this checkout")
		return seen, nil
	case l.Held():
		return seen, nil
	case free && !row.Writable:
		return seen, errReadOnly("follow the files", "no server indexes this checkout now, and this one may only read the index")
	case free:
		return l.take(ctx, losses)
	case row.Now.Sub(renewed) > leaseRenewal+leaseSuspect:
		return seen, &StalledError{Process: describe(row.Holder), Since: renewed}
	default:
		return seen, nil
	}
}

// take takes or renews the lease, unless another server holds it. losses is database.losses before the call.
func (l *Lease) take(ctx context.Context, losses int64) (Seen, error) {
	began := time.Now() // before the statement, which may wait for a transaction
	var row TenantTakeLeaseRow
	err := l.ask(ctx, "take lease", writeTimeout, func(ctx context.Context, q *Queries) (err error) {
		row, err = q.TenantTakeLease(ctx, TenantTakeLeaseParams{
			ProjectID: l.tenant.ProjectID, ID: l.tenant.ID, Generation: l.tenant.Generation,
			Holder: l.database.holder, Seconds: leaseTime.Seconds(),
		})
		return err
	})
	switch {
	case err != nil && !IsNoRows(err):
		return Seen{}, err
	case l.Held() && row.Epoch != l.epoch: // row is empty if another server holds the lease
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

// GiveUp frees the lease, unless another server holds it. Call it after the indexer's work, even if ctx has ended.
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

// ask runs f, which sends one statement, with a connection of the pool. While this server is idle, it uses a new
// connection instead, so that the pool can close its connections.
func (l *Lease) ask(
	ctx context.Context, op string, timeout time.Duration, f func(ctx context.Context, q *Queries) error,
) error {
	return l.database.retry(ctx, op, timeout, func(ctx context.Context, pool *pgxpool.Pool) error {
		if !l.database.Idle() {
			return pool.AcquireFunc(ctx, func(conn *pgxpool.Conn) error { return f(ctx, New(conn.Conn())) })
		}
		conn, err := pgx.ConnectConfig(ctx, pool.Config().ConnConfig)
		if err != nil {
			return err //nolint:wrapcheck // retry wraps it
		}
		return errors.Join(f(ctx, New(conn)), conn.Close(ctx))
	})
}

// processName names this process for people who look at connections and leases, such as 4711@laptop.
func processName() string {
	host, err := os.Hostname()
	if err != nil || strings.ContainsAny(host, " \n") {
		host = "unknown"
	}
	return fmt.Sprintf("%d@%s", os.Getpid(), host)
}

// describe returns the process of a lease's holder in words, or "" if holder does not begin with the name of a process.
func describe(holder string) string {
	name, _, _ := strings.Cut(holder, " ")
	pid, host, found := strings.Cut(name, "@")
	if !found {
		return ""
	}
	return "process " + pid + " on " + host
}

type epochKey struct{}

// EpochOf returns the epoch of a [Lease.Context], or nil for any other context.
func EpochOf(ctx context.Context) *int64 {
	if epoch, ok := ctx.Value(epochKey{}).(int64); ok {
		return &epoch
	}
	return nil
}

// idleAfter is the time without any use after which a server counts as idle.
const idleAfter = time.Minute

// Used records that somebody uses this server. If wasIdle is true, nobody had used it for a minute, and its view of the
// index may be some seconds old.
func (d *Database) Used() (wasIdle bool) {
	now := time.Now()
	return now.Sub(time.Unix(0, d.used.Swap(now.UnixNano()))) > idleAfter
}

// Idle reports whether nobody has used this server for a minute. An idle server only reads its tenant's row every few
// seconds.
func (d *Database) Idle() bool {
	return time.Since(time.Unix(0, d.used.Load())) > idleAfter
}
