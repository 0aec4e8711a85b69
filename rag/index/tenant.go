package index

import (
	"context"
	"errors"

	"github.com/compound-docs/compound-docs/db"
	"github.com/compound-docs/compound-docs/rag/catalog"
)

// Tenant registers the checkout at root, or finds its tenant. It records that the tenant is in use, and undoes a
// deletion. A database role that may only read gets a tenant that is in the index, and otherwise an error.
func (x *Index) Tenant(ctx context.Context, key catalog.TenantKey, root string) (*catalog.Tenant, error) {
	register := func(q *db.Queries) (*catalog.Tenant, error) {
		// Write a project only if it is new, because on Citus the write needs every node.
		projectID, err := q.ProjectFind(ctx, db.ProjectFindParams{Name: key.Project})
		if db.IsNoRows(err) {
			projectID, err = q.ProjectUpsert(ctx, db.ProjectUpsertParams{Name: key.Project})
		}
		if err != nil {
			return nil, err
		}
		row, err := q.TenantUpsert(ctx, db.TenantUpsertParams{
			ProjectID: projectID, BranchName: key.Branch, PathHash: key.PathHash, RepoRoot: root,
		})
		return &catalog.Tenant{
			Key: key, ProjectID: projectID, ID: row.ID, Generation: row.Generation, ModelID: row.EmbeddingModelID,
			Written: row.Written,
		}, err
	}
	tenant, err := transact(ctx, x.db.Write, "register tenant", register)
	if db.IsKind(err, db.KindData) { // the project was removed after it was found
		tenant, err = transact(ctx, x.db.Write, "register tenant", register)
	}
	if db.IsDenied(err) {
		tenant, err = x.Rejoin(ctx, key)
		if errors.Is(err, db.ErrTenantGone) {
			return nil, db.ErrUnknownReadOnly()
		}
	}
	return tenant, err
}

// Rejoin returns the tenant of a checkout. Unlike [Index.Tenant] it returns [db.ErrTenantGone] if the checkout is
// unknown or deleted. It records that the tenant is in use, unless the database role may only read.
func (x *Index) Rejoin(ctx context.Context, key catalog.TenantKey) (*catalog.Tenant, error) {
	tenant, err := transact(ctx, x.db.Write, "find tenant", func(q *db.Queries) (*catalog.Tenant, error) {
		tenant, row, err := lookUp(ctx, q, key)
		if err != nil {
			return nil, err
		}
		if row.DeletedAt != nil {
			return nil, db.ErrTenantGone
		}
		return tenant, q.TenantSeen(ctx, db.TenantSeenParams{ProjectID: tenant.ProjectID, ID: tenant.ID})
	})
	switch {
	case db.IsNoRows(err):
		return nil, db.ErrTenantGone
	case tenant != nil && db.IsDenied(err):
		tenant.ReadOnly = true
		return tenant, nil
	case err != nil:
		return nil, err
	}
	return tenant, nil
}

// Writable returns an error about the operation op if this server still may only read the tenant.
func (x *Index) Writable(ctx context.Context, tenant *catalog.Tenant, op string) error {
	if !tenant.ReadOnly {
		return nil
	}
	again, err := x.Rejoin(ctx, tenant.Key) // a standby may have been promoted
	if err != nil {
		return err
	}
	return again.Writable(op)
}

// lookUp finds the tenant of a checkout. Its ModelID is 0 until a [Queue] records a model. If the index does not have
// the checkout, [db.IsNoRows] recognizes the error.
func lookUp(ctx context.Context, q *db.Queries, key catalog.TenantKey) (*catalog.Tenant, db.TenantFindRow, error) {
	projectID, err := q.ProjectFind(ctx, db.ProjectFindParams{Name: key.Project})
	if err != nil {
		return nil, db.TenantFindRow{}, err
	}
	row, err := q.TenantFind(ctx, db.TenantFindParams{ProjectID: projectID, BranchName: key.Branch, PathHash: key.PathHash})
	tenant := &catalog.Tenant{Key: key, ProjectID: projectID, ID: row.ID, Generation: row.Generation, ModelID: &row.ModelID}
	return tenant, row, err
}

// LastBranch returns the branch on which somebody last used a checkout of the project, "" if the index knows none.
func (x *Index) LastBranch(ctx context.Context, project, pathHash string) (string, error) {
	branch, err := transact(ctx, x.db.Read, "look up the last branch", func(q *db.Queries) (string, error) {
		id, err := q.ProjectFind(ctx, db.ProjectFindParams{Name: project})
		if err != nil {
			return "", err
		}
		return q.TenantLastBranch(ctx, db.TenantLastBranchParams{ProjectID: id, PathHash: pathHash})
	})
	return branch, ignoreNoRows(err)
}

// HandbookEdition identifies the handbook's content: equal editions have equal content. It is the zero value as long as
// nothing was ingested.
type HandbookEdition struct {
	projectID, tenantID int32
	generation, version int64
}

// Handbook returns the handbook's tenant, and registers it if it is new. The handbook's documents are in the collection
// [catalog.Handbook]. Their paths begin with the name of the ingested folder, and their doc-type is their section.
func (x *Index) Handbook(ctx context.Context) (*catalog.Tenant, error) {
	return x.Tenant(ctx, catalog.HandbookKey(), "")
}

// HandbookEdition returns the present edition, and the zero value if the handbook was never filled.
func (x *Index) HandbookEdition(ctx context.Context) (HandbookEdition, error) {
	edition, err := transact(ctx, x.db.Read, "look up the handbook", func(q *db.Queries) (HandbookEdition, error) {
		tenant, row, err := lookUp(ctx, q, catalog.HandbookKey())
		if err != nil || row.Version <= row.Generation { // equal until the first write
			return HandbookEdition{}, err
		}
		return HandbookEdition{projectID: tenant.ProjectID, tenantID: row.ID, generation: row.Generation, version: row.Version}, nil
	})
	return edition, ignoreNoRows(err)
}

// Scope returns the scope of a search for documents of the edition.
func (e HandbookEdition) Scope() catalog.Scope {
	tenant := &catalog.Tenant{Key: catalog.HandbookKey(), ProjectID: e.projectID, ID: e.tenantID, Generation: e.generation}
	return catalog.Scope{Tenant: tenant, Collection: catalog.Handbook}
}
