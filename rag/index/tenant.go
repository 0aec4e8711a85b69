package index

import (
	"context"
	"errors"

	"github.com/compound-docs/compound-docs/db"
	"github.com/compound-docs/compound-docs/rag/catalog"
)

// Tenant registers the checkout at root, or finds it, and notes that it is in use.
// It undoes a deletion: the tenant may be filled again. A role of the database that may
// only read finds it, and gets an error if it is not there.
func (x *Index) Tenant(ctx context.Context, key catalog.TenantKey, root string) (*catalog.Tenant, error) {
	tenant := &catalog.Tenant{Key: key}
	register := func(q *db.Queries) error {
		// A project is written only if it is new: on Citus that needs every node.
		projectID, err := q.ProjectFind(ctx, db.ProjectFindParams{Name: key.Project})
		if db.IsNoRows(err) {
			projectID, err = q.ProjectUpsert(ctx, db.ProjectUpsertParams{Name: key.Project})
		}
		if err != nil {
			return err
		}
		tenant.ProjectID = projectID
		row, err := q.TenantUpsert(ctx, db.TenantUpsertParams{
			ProjectID: projectID, BranchName: key.Branch, PathHash: key.PathHash, RepoRoot: root,
		})
		tenant.ID, tenant.Generation, tenant.ModelID = row.ID, row.Generation, row.EmbeddingModelID
		return err
	}
	err := x.db.Write(ctx, "register tenant", register)
	if db.IsKind(err, db.KindData) { // the project was removed after it was found
		err = x.db.Write(ctx, "register tenant", register)
	}
	if db.IsDenied(err) {
		if tenant, err = x.Rejoin(ctx, key); errors.Is(err, db.ErrTenantGone) {
			err = db.ErrUnknownReadOnly()
		}
		return tenant, err
	}
	if err != nil {
		return nil, err
	}
	return tenant, nil
}

// Rejoin returns the tenant of a checkout that is in the index, and [db.ErrTenantGone]
// if it is not: unlike [Index.Tenant] it does not undo a deletion. It notes that the tenant
// is in use, unless the role may only read.
func (x *Index) Rejoin(ctx context.Context, key catalog.TenantKey) (*catalog.Tenant, error) {
	var tenant *catalog.Tenant
	err := x.db.Write(ctx, "find tenant", func(q *db.Queries) error {
		found, row, err := lookUp(ctx, q, key)
		if err == nil && row.DeletedAt != nil {
			err = db.ErrTenantGone
		}
		if err != nil {
			return err
		}
		tenant = found
		return q.TenantSeen(ctx, db.TenantSeenParams{ProjectID: tenant.ProjectID, ID: tenant.ID})
	})
	if db.IsNoRows(err) {
		return nil, db.ErrTenantGone
	}
	if tenant != nil && db.IsDenied(err) {
		tenant.ReadOnly, err = true, nil
	}
	if err != nil {
		return nil, err
	}
	return tenant, nil
}

// lookUp finds a checkout, with the model that makes its vectors, 0 before the first. The error
// says that there are no rows if the index does not have the checkout.
func lookUp(ctx context.Context, q *db.Queries, key catalog.TenantKey) (*catalog.Tenant, db.TenantFindRow, error) {
	projectID, err := q.ProjectFind(ctx, db.ProjectFindParams{Name: key.Project})
	if err != nil {
		return nil, db.TenantFindRow{}, err
	}
	row, err := q.TenantFind(ctx, db.TenantFindParams{ProjectID: projectID, BranchName: key.Branch, PathHash: key.PathHash})
	tenant := &catalog.Tenant{Key: key, ProjectID: projectID, ID: row.ID, Generation: row.Generation, ModelID: &row.ModelID}
	return tenant, row, err
}

// inProject runs f as [db.Database.Read] does, with the id of a project. It is no error if the
// index does not have the project, or if f's query for one row finds none.
func (x *Index) inProject(ctx context.Context, op, project string, f func(q *db.Queries, id int32) error) error {
	err := x.db.Read(ctx, op, func(q *db.Queries) error {
		id, err := q.ProjectFind(ctx, db.ProjectFindParams{Name: project})
		if err != nil {
			return err
		}
		return f(q, id)
	})
	return exceptNoRows(err)
}

// exceptNoRows returns an error, but nil for that of a query for one row that found none.
func exceptNoRows(err error) error {
	if db.IsNoRows(err) {
		return nil
	}
	return err
}

// LastBranch returns the branch on which a checkout of the project was last in
// use, "" if the index knows none.
func (x *Index) LastBranch(ctx context.Context, project, pathHash string) (branch string, err error) {
	err = x.inProject(ctx, "look up the last branch", project, func(q *db.Queries, id int32) error {
		branch, err = q.TenantLastBranch(ctx, db.TenantLastBranchParams{ProjectID: id, PathHash: pathHash})
		return err
	})
	return branch, err
}

// HandbookEdition identifies the handbook's content: equal editions have equal content. The zero
// value is a handbook that was never filled.
type HandbookEdition struct {
	projectID, tenantID int32
	generation, version int64
}

// Handbook registers the handbook's tenant, or finds it. Its documents are in
// the collection [catalog.Handbook]; their paths begin with the name of the ingested
// folder, and their doc-type is their section.
func (x *Index) Handbook(ctx context.Context) (*catalog.Tenant, error) {
	return x.Tenant(ctx, catalog.HandbookKey(), "")
}

// HandbookEdition returns the present edition.
func (x *Index) HandbookEdition(ctx context.Context) (edition HandbookEdition, err error) {
	err = x.db.Read(ctx, "look up the handbook", func(q *db.Queries) error {
		tenant, row, err := lookUp(ctx, q, catalog.HandbookKey())
		// Both begin at the same number.
		if err == nil && row.Version > row.Generation {
			edition = HandbookEdition{projectID: tenant.ProjectID, tenantID: row.ID, generation: row.Generation, version: row.Version}
		}
		return err
	})
	return edition, exceptNoRows(err)
}

// Scope returns the documents of the edition.
func (e HandbookEdition) Scope() catalog.Scope {
	tenant := &catalog.Tenant{Key: catalog.HandbookKey(), ProjectID: e.projectID, ID: e.tenantID, Generation: e.generation}
	return catalog.Scope{Tenant: tenant, Collection: catalog.Handbook}
}
