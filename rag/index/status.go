package index

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/compound-docs/compound-docs/rag/catalog"

	"github.com/compound-docs/compound-docs/db"
)

// SetSyncStatus publishes how far the tenant's index is behind, for the servers
// that do not index it. It does nothing under the context of a former indexer.
func (x *Index) SetSyncStatus(ctx context.Context, tenant *catalog.Tenant, status any) error {
	encoded, err := json.Marshal(status)
	if err != nil {
		return fmt.Errorf("encode sync status: %w", err)
	}
	return x.db.WriteOne(ctx, "publish sync status", func(q *db.Queries) error {
		return q.TenantSetSyncStatus(ctx, db.TenantSetSyncStatusParams{
			SyncStatus: string(encoded), ProjectID: tenant.ProjectID, ID: tenant.ID,
			Generation: tenant.Generation, Epoch: db.EpochOf(ctx),
		})
	})
}

// SyncStatus decodes what the tenant's indexer last published into status, and
// reports false if there is nothing.
func (x *Index) SyncStatus(ctx context.Context, tenant *catalog.Tenant, status any) (bool, error) {
	var encoded []byte
	err := x.db.Read(ctx, "read sync status", func(q *db.Queries) (err error) {
		encoded, err = q.TenantSyncStatus(ctx, db.TenantSyncStatusParams{ProjectID: tenant.ProjectID, ID: tenant.ID})
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
