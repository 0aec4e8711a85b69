package db

import (
	"context"
	"time"
)

// leaseRetry is how often a server that does not index tries to take over.
const leaseRetry = time.Second

// Lead runs f while this process is the tenant's only indexer, and again each time it
// becomes the indexer, until ctx ends. It calls waiting each time another process is
// the indexer, with an error if there is one, such as a [*StalledError].
//
// A lease and an epoch ensure that there is only one. The lease is an advisory lock,
// which PostgreSQL frees when its holder dies. A holder that is suspended and keeps
// it is evicted. The epoch is a number in the tenant's row that grows with every
// holder. A process that was cut off or suspended cannot know that it is no longer
// the indexer, and what it has read may be old. So the context given to f carries the
// epoch, and a write with that context fails once there is a later epoch. The context
// also ends as soon as the lease is known to be lost.
//
// Where the database's role may only read, f never runs, and waiting is called with an
// error while no other server indexes.
func (d *Database) Lead(ctx context.Context, tenant *Tenant, f func(ctx context.Context), waiting func(reason error)) {
	var others holderWatch
	for ctx.Err() == nil {
		lease, err := d.tryLead(ctx, tenant)
		if lease != nil {
			others = holderWatch{}
			if err = d.leadWith(ctx, tenant, lease, f); err == nil {
				continue
			}
		} else if err == nil && !tenant.ReadOnly {
			err = others.check(ctx, d, tenant)
		}
		if ctx.Err() == nil {
			waiting(err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(leaseRetry):
		}
	}
}

// tryLead returns the tenant's lease, or nil if it is another's. A server that may only
// read does not take it, not even for a moment.
func (d *Database) tryLead(ctx context.Context, tenant *Tenant) (*Lease, error) {
	if !tenant.ReadOnly {
		return d.TryLease(ctx, LockIndexer, tenant.ID)
	}
	_, held, err := d.LeaseHolder(ctx, LockIndexer, tenant.ID)
	if err == nil && !held {
		err = errReadOnly("follow the files", "no server indexes this checkout now, and this one may only read the index")
	}
	return nil, err
}

// leadWith runs f and releases the lease. An error means that f was not run.
func (d *Database) leadWith(ctx context.Context, tenant *Tenant, lease *Lease, f func(ctx context.Context)) error {
	defer func() {
		if err := lease.Release(); err != nil {
			d.logger.DebugContext(ctx, "release lease", "error", err)
		}
	}()
	epoch, err := d.beginEpoch(ctx, tenant)
	if err != nil {
		return err
	}
	leading, cancel := context.WithCancel(withEpoch(ctx, epoch))
	defer cancel()
	stop := make(chan struct{})
	defer close(stop)
	go func() {
		select {
		case <-lease.Lost():
			d.logger.WarnContext(ctx, "the connection that makes this server the indexer was lost")
			cancel()
		case <-stop:
		}
	}()
	f(leading)
	return nil
}

func (d *Database) beginEpoch(ctx context.Context, tenant *Tenant) (epoch int64, err error) {
	err = d.WriteOne(ctx, "become the indexer", func(q *Queries) error {
		epoch, err = q.TenantLead(ctx, TenantLeadParams{
			ProjectID: tenant.ProjectID, ID: tenant.ID, Generation: tenant.Generation,
		})
		return err
	})
	if IsNoRows(err) {
		err = ErrTenantGone
	}
	return epoch, err
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
