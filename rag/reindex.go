package rag

import (
	"context"

	"github.com/compound-docs/compound-docs/db"
)

// ModelChanged reports whether the tenant's vectors were made by another
// embedding model than the present one: nothing can be asked of it, and nothing
// added to it, before a [Library.Reset].
func (l *Library) ModelChanged(ctx context.Context, tenant *Tenant) (bool, error) {
	current, err := l.presentModel(ctx)
	if err != nil {
		return false, err
	}
	made, err := l.madeWith(ctx, tenant)
	return made != nil && *made != current, err
}

// Reset empties every collection of the tenant and makes the present embedding
// model the tenant's, in one step: no answer, and no index, ever mixes vectors of
// two models. The documents come back as they are indexed. Passages stay, so that
// those which the present model has made already are not embedded again.
func (l *Library) Reset(ctx context.Context, tenant *Tenant) error {
	current, err := l.presentModel(ctx)
	if err != nil {
		return err
	}
	return l.db.Write(ctx, "empty the index", func(q *db.Queries) error {
		// The tenant's row comes first: a writer that has locked it is waited for,
		// and what it wrote is removed too; the others find the new model in it.
		if err := setModel(ctx, q, tenant, current, true); err != nil {
			return err
		}
		if err := q.DocumentDeleteByTenant(ctx, db.DocumentDeleteByTenantParams{
			ProjectID: tenant.projectID, TenantID: tenant.id,
		}); err != nil {
			return err
		}
		return tenant.bump(ctx, q)
	})
}
