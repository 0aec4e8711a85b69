package index

import (
	"context"
	"time"

	"github.com/compound-docs/compound-docs/db"
	"github.com/compound-docs/compound-docs/rag"
)

// Tenant registers the checkout at root, or finds it, and notes that it is in use.
// It undoes a deletion: the tenant may be filled again.
func (x *Index) Tenant(ctx context.Context, key rag.TenantKey, root string) (*rag.Tenant, error) {
	tenant := &rag.Tenant{Key: key}
	err := x.db.Write(ctx, "register tenant", func(q *db.Queries) error {
		projectID, err := q.ProjectUpsert(ctx, db.ProjectUpsertParams{Name: key.Project})
		if err != nil {
			return err
		}
		tenant.ProjectID = projectID
		row, err := q.TenantUpsert(ctx, db.TenantUpsertParams{
			ProjectID: projectID, BranchName: key.Branch, PathHash: key.PathHash, RepoRoot: root,
		})
		tenant.ID, tenant.Generation = row.ID, row.Generation
		return err
	})
	if err != nil {
		return nil, err
	}
	return tenant, nil
}

// Handbook registers the handbook's tenant, or finds it. Its documents are in
// the collection [rag.Handbook]; their paths begin with the name of the ingested
// folder, and their doc-type is their section.
func (x *Index) Handbook(ctx context.Context) (*rag.Tenant, error) {
	return x.Tenant(ctx, rag.HandbookKey(), "")
}

// Rejoin returns the tenant of a checkout that is in the index, and [db.ErrTenantGone]
// if it is not: unlike [Index.Tenant] it does not undo a deletion.
func (x *Index) Rejoin(ctx context.Context, key rag.TenantKey) (*rag.Tenant, error) {
	tenant := &rag.Tenant{Key: key}
	err := x.db.Write(ctx, "find tenant", func(q *db.Queries) error {
		row, err := q.TenantRejoin(ctx, db.TenantRejoinParams{
			ProjectName: key.Project, BranchName: key.Branch, PathHash: key.PathHash,
		})
		tenant.ProjectID, tenant.ID, tenant.Generation = row.ProjectID, row.ID, row.Generation
		return err
	})
	if db.IsNoRows(err) {
		return nil, db.ErrTenantGone
	}
	if err != nil {
		return nil, err
	}
	return tenant, nil
}

// TenantState says whether a tenant was deleted since it was registered.
type TenantState struct {
	// Deleted is set while the checkout is not in the index. DeletedAt is when it was
	// deleted, or zero if the index no longer knows.
	Deleted   bool
	DeletedAt time.Time
	// Replaced is set if it was deleted and has been activated again since.
	Replaced bool
}

// State looks the tenant up.
func (x *Index) State(ctx context.Context, tenant *rag.Tenant) (state TenantState, err error) {
	err = x.db.Read(ctx, "look up tenant", func(q *db.Queries) error {
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
			state.Replaced = row.ID != tenant.ID || row.Generation != tenant.Generation
		}
		return nil
	})
	return state, err
}

// LastBranch returns the branch on which a checkout of the project was last in
// use, "" if the index knows none.
func (x *Index) LastBranch(ctx context.Context, project, pathHash string) (branch string, err error) {
	err = x.db.Read(ctx, "look up the last branch", func(q *db.Queries) error {
		branch, err = q.TenantLastBranch(ctx, db.TenantLastBranchParams{ProjectName: project, PathHash: pathHash})
		if db.IsNoRows(err) {
			return nil
		}
		return err
	})
	return branch, err
}
