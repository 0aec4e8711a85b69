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
// becomes so, until ctx ends. The context given to f ends when another process
// may have become the indexer. waiting is called, with the reason or nil, each
// time the process is found not to be it.
func (l *Library) Lead(ctx context.Context, tenant *Tenant, f func(ctx context.Context), waiting func(reason error)) {
	for ctx.Err() == nil {
		lease, err := l.db.TryLease(ctx, db.LockIndexer, tenant.id)
		if lease != nil {
			l.leadWith(ctx, lease, f)
			continue
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

func (l *Library) leadWith(ctx context.Context, lease *db.Lease, f func(ctx context.Context)) {
	leading, cancel := context.WithCancel(ctx)
	stop := make(chan struct{})
	go func() {
		select {
		case <-lease.Lost():
			l.logger.WarnContext(ctx, "the connection that makes this server the indexer was lost")
			cancel()
		case <-stop:
		}
	}()
	f(leading)
	close(stop)
	cancel()
	if err := lease.Release(); err != nil {
		l.logger.DebugContext(ctx, "release lease", "error", err)
	}
}

// SetSyncStatus publishes how far the tenant's index is behind, for the servers
// that do not index it.
func (l *Library) SetSyncStatus(ctx context.Context, tenant *Tenant, status any) error {
	encoded, err := json.Marshal(status)
	if err != nil {
		return fmt.Errorf("encode sync status: %w", err)
	}
	return l.db.Write(ctx, "publish sync status", func(q *db.Queries) error {
		return q.TenantSetSyncStatus(ctx, db.TenantSetSyncStatusParams{
			SyncStatus: encoded, ProjectID: tenant.projectID, ID: tenant.id,
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
