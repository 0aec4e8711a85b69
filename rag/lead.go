package rag

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/compound-docs/compound-docs/db"
)

// leaseRetry is how often a server that does not index tries to take over.
const leaseRetry = time.Second

// Lead runs f while this process is the tenant's one indexer, again whenever it
// becomes so, until ctx ends. waiting is called, with the reason or nil, each time
// the process is found not to be it; a [*StalledError] is such a reason.
//
// Two things make the indexer one. The lease, an advisory lock that PostgreSQL
// frees when its holder dies, says who may begin; a holder that is suspended and
// keeps it is evicted. The epoch, a number in the tenant's row that grows with
// every holder, says who may still write: a process that was cut off or suspended
// cannot know that it is no longer the indexer, and what it has read may be old.
// The context given to f carries the epoch, and a write under it fails in its own
// transaction once there is a later one. It also ends as soon as the lease is
// known to be lost.
func (l *Library) Lead(ctx context.Context, tenant *Tenant, f func(ctx context.Context), waiting func(reason error)) {
	var others holderWatch
	for ctx.Err() == nil {
		lease, err := l.db.TryLease(ctx, db.LockIndexer, tenant.id)
		if lease != nil {
			others = holderWatch{}
			if err = l.leadWith(ctx, tenant, lease, f); err == nil {
				continue
			}
		} else if err == nil {
			err = others.look(ctx, l.db, tenant)
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

// leadWith runs f and releases the lease. An error means that f was not run.
func (l *Library) leadWith(ctx context.Context, tenant *Tenant, lease *db.Lease, f func(ctx context.Context)) error {
	defer func() {
		if err := lease.Release(); err != nil {
			l.logger.DebugContext(ctx, "release lease", "error", err)
		}
	}()
	epoch, err := l.beginEpoch(ctx, tenant)
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
			l.logger.WarnContext(ctx, "the connection that makes this server the indexer was lost")
			cancel()
		case <-stop:
		}
	}()
	f(leading)
	return nil
}

func (l *Library) beginEpoch(ctx context.Context, tenant *Tenant) (epoch int64, err error) {
	err = l.db.Write(ctx, "become the indexer", func(q *db.Queries) error {
		epoch, err = q.TenantLead(ctx, db.TenantLeadParams{
			ProjectID: tenant.projectID, ID: tenant.id, Generation: tenant.generation,
		})
		return err
	})
	if db.IsNoRows(err) {
		err = ErrTenantGone
	}
	return epoch, err
}

type epochKey struct{}

func withEpoch(ctx context.Context, epoch int64) context.Context {
	return context.WithValue(ctx, epochKey{}, epoch)
}

// epochOf returns the epoch of the indexer that acts under ctx, and nil for a
// call that need not be the indexer's.
func epochOf(ctx context.Context) *int64 {
	if epoch, ok := ctx.Value(epochKey{}).(int64); ok {
		return &epoch
	}
	return nil
}

// SetSyncStatus publishes how far the tenant's index is behind, for the servers
// that do not index it. It does nothing if ctx is of an indexer before the present.
func (l *Library) SetSyncStatus(ctx context.Context, tenant *Tenant, status any) error {
	encoded, err := json.Marshal(status)
	if err != nil {
		return fmt.Errorf("encode sync status: %w", err)
	}
	return l.db.Write(ctx, "publish sync status", func(q *db.Queries) error {
		return q.TenantSetSyncStatus(ctx, db.TenantSetSyncStatusParams{
			SyncStatus: encoded, ProjectID: tenant.projectID, ID: tenant.id,
			Generation: tenant.generation, Epoch: epochOf(ctx),
		})
	})
}

// SyncStatus decodes what the tenant's indexer last published into status, and
// reports false if there is nothing.
func (l *Library) SyncStatus(ctx context.Context, tenant *Tenant, status any) (bool, error) {
	var encoded []byte
	err := l.db.Read(ctx, "read sync status", func(q *db.Queries) (err error) {
		encoded, err = q.TenantSyncStatus(ctx, db.TenantSyncStatusParams{ProjectID: tenant.projectID, ID: tenant.id})
		return err
	})
	if db.IsNoRows(err) || err == nil && encoded == nil {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if err := json.Unmarshal(encoded, status); err != nil {
		return false, fmt.Errorf("decode sync status: %w", err)
	}
	return true, nil
}
