package rag

import (
	"context"
	"errors"
	"time"

	"github.com/compound-docs/compound-docs/db"
)

// ErrTenantGone says that the tenant was deleted from the index by another call
// or another server since it was registered, whether or not it is back.
var ErrTenantGone = errors.New("the index of this checkout was deleted meanwhile; call activate_project to fill it again")

// errNotLeader says that a write was prepared while this server was the tenant's
// indexer, and that another is by now.
var errNotLeader = errors.New("another server has become the indexer of this checkout meanwhile")

// bump belongs to every transaction that changes the tenant's documents, before
// it touches one: it locks the tenant's row, so that writers take turns, and
// fails for a tenant that was deleted and for who no longer leads it; see
// [Library.Lead].
func (t *Tenant) bump(ctx context.Context, q *db.Queries) error {
	epoch := epochOf(ctx)
	changed, err := q.TenantBump(ctx, db.TenantBumpParams{
		ProjectID: t.projectID, ID: t.id, Generation: t.generation, Epoch: epoch,
	})
	if err != nil || changed > 0 {
		return err
	}
	generation, err := q.TenantGeneration(ctx, db.TenantGenerationParams{ProjectID: t.projectID, ID: t.id})
	switch {
	case db.IsNoRows(err):
		return ErrTenantGone
	case err != nil:
		return err
	case generation != t.generation || epoch == nil:
		return ErrTenantGone
	default:
		return errNotLeader
	}
}

// Same reports whether both are one registration of one checkout, with no
// deletion in between.
func (t *Tenant) Same(other *Tenant) bool {
	return t.projectID == other.projectID && t.id == other.id && t.generation == other.generation
}

// Rejoin returns the tenant of a checkout that is in the index, and [ErrTenantGone]
// if it is not: unlike [Library.Tenant] it does not undo a deletion.
func (l *Library) Rejoin(ctx context.Context, key TenantKey) (*Tenant, error) {
	tenant := &Tenant{Key: key}
	err := l.db.Write(ctx, "find tenant", func(q *db.Queries) error {
		row, err := q.TenantRejoin(ctx, db.TenantRejoinParams{
			ProjectName: key.Project, BranchName: key.Branch, PathHash: key.PathHash,
		})
		tenant.projectID, tenant.id, tenant.generation = row.ProjectID, row.ID, row.Generation
		return err
	})
	if db.IsNoRows(err) {
		return nil, ErrTenantGone
	}
	if err != nil {
		return nil, err
	}
	return tenant, nil
}

// TenantState is what became of a tenant since it was registered.
type TenantState struct {
	// Deleted is set while the checkout is not in the index. DeletedAt is when it
	// was deleted, and zero where no row is left to say so.
	Deleted   bool
	DeletedAt time.Time
	// Replaced is set if it was deleted and has been activated again since.
	Replaced bool
}

// State returns what became of the tenant.
func (l *Library) State(ctx context.Context, tenant *Tenant) (state TenantState, err error) {
	err = l.db.Read(ctx, "look up tenant", func(q *db.Queries) error {
		state = TenantState{}
		row, err := q.TenantState(ctx, db.TenantStateParams{
			ProjectName: tenant.Key.Project, BranchName: tenant.Key.Branch, PathHash: tenant.Key.PathHash,
		})
		switch {
		case db.IsNoRows(err):
			state.Deleted = true
			return nil
		case err != nil:
			return err
		case row.DeletedAt != nil:
			state.Deleted, state.DeletedAt = true, *row.DeletedAt
		default:
			state.Replaced = row.ID != tenant.id || row.Generation != tenant.generation
		}
		return nil
	})
	return state, err
}
