package index

import (
	"context"
	"errors"
	"time"

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
		return q.Commit(ctx, func(q *db.Queries) error {
			row, err := q.TenantUpsert(ctx, db.TenantUpsertParams{
				ProjectID: projectID, BranchName: key.Branch, PathHash: key.PathHash, RepoRoot: root,
			})
			tenant.ID, tenant.Generation, tenant.ModelID = row.ID, row.Generation, row.EmbeddingModelID
			return err
		})
	}
	err := x.db.Write(ctx, "register tenant", register)
	if db.IsOrphan(err) { // the project was removed after it was found
		err = x.db.Write(ctx, "register tenant", register)
	}
	if db.IsDenied(err) {
		if tenant, err = x.readOnly(ctx, key); errors.Is(err, db.ErrTenantGone) {
			err = db.ErrUnknownReadOnly()
		}
	}
	return x.located(ctx, tenant, err)
}

// located notes in which database a tenant was found.
func (x *Index) located(ctx context.Context, tenant *catalog.Tenant, err error) (*catalog.Tenant, error) {
	if err == nil {
		tenant.Database, err = x.db.Identity(ctx)
	}
	if err != nil {
		return nil, err
	}
	return tenant, nil
}

// readOnly finds the tenant of a checkout, for a role that may only read, and returns
// [db.ErrTenantGone] if it is not in the index.
func (x *Index) readOnly(ctx context.Context, key catalog.TenantKey) (tenant *catalog.Tenant, err error) {
	err = x.db.Read(ctx, "find tenant", func(q *db.Queries) error {
		found, row, err := lookUp(ctx, q, key)
		if err == nil && row.DeletedAt != nil {
			err = db.ErrTenantGone
		}
		tenant = found
		return err
	})
	if db.IsNoRows(err) {
		err = db.ErrTenantGone
	}
	if err == nil {
		tenant.ReadOnly = true
	}
	return tenant, err
}

// Rejoin returns the tenant of a checkout that is in the index, and [db.ErrTenantGone]
// if it is not: unlike [Index.Tenant] it does not undo a deletion.
func (x *Index) Rejoin(ctx context.Context, key catalog.TenantKey) (*catalog.Tenant, error) {
	tenant := &catalog.Tenant{Key: key}
	err := x.db.Write(ctx, "find tenant", func(q *db.Queries) error {
		projectID, err := q.ProjectFind(ctx, db.ProjectFindParams{Name: key.Project})
		if err != nil {
			return err
		}
		row, err := q.TenantRejoin(ctx, db.TenantRejoinParams{
			ProjectID: projectID, BranchName: key.Branch, PathHash: key.PathHash,
		})
		tenant.ProjectID, tenant.ID, tenant.Generation, tenant.ModelID = projectID, row.ID, row.Generation, row.EmbeddingModelID
		return err
	})
	if db.IsDenied(err) {
		tenant, err = x.readOnly(ctx, key)
	}
	if db.IsNoRows(err) {
		return nil, db.ErrTenantGone
	}
	return x.located(ctx, tenant, err)
}

// TenantState says whether a tenant was deleted since it was registered.
type TenantState struct {
	// Deleted is set while the checkout is not in the index. DeletedAt is when it was
	// deleted, or zero if the index no longer knows.
	Deleted   bool
	DeletedAt time.Time
	// Replaced is set if it was deleted and has been activated again since.
	Replaced bool
	// Remade is set if the database is another one than that in which the tenant was
	// registered: it was dropped and made again.
	Remade bool
}

// State looks the tenant up.
func (x *Index) State(ctx context.Context, tenant *catalog.Tenant) (state TenantState, err error) {
	err = x.db.Read(ctx, "look up tenant", func(q *db.Queries) error {
		state = TenantState{}
		projectID := tenant.ProjectID
		row, err := find(ctx, q, projectID, tenant.Key)
		if db.IsNoRows(err) { // it may be there in a new project of the same name
			if projectID, err = q.ProjectFind(ctx, db.ProjectFindParams{Name: tenant.Key.Project}); err == nil {
				row, err = find(ctx, q, projectID, tenant.Key)
			}
		}
		switch {
		case db.IsNoRows(err):
			state.Deleted = true
			return nil
		case err != nil:
			return err
		case row.DeletedAt != nil:
			state.Deleted, state.DeletedAt = true, *row.DeletedAt
		default:
			state.Replaced = !tenant.Same(&catalog.Tenant{ProjectID: projectID, ID: row.ID, Generation: row.Generation})
		}
		return nil
	})
	if err == nil && (state.Deleted || state.Replaced) {
		var identity string
		identity, err = x.db.Identity(ctx)
		state.Remade = identity != tenant.Database
	}
	return state, err
}

// lookUp finds a checkout, with the model that makes its vectors, 0 before the first. The error
// says that there are no rows if the index does not have the checkout.
func lookUp(ctx context.Context, q *db.Queries, key catalog.TenantKey) (*catalog.Tenant, db.TenantFindRow, error) {
	projectID, err := q.ProjectFind(ctx, db.ProjectFindParams{Name: key.Project})
	if err != nil {
		return nil, db.TenantFindRow{}, err
	}
	row, err := find(ctx, q, projectID, key)
	return &catalog.Tenant{Key: key, ProjectID: projectID, ID: row.ID, Generation: row.Generation}, row, err
}

func find(ctx context.Context, q *db.Queries, projectID int32, key catalog.TenantKey) (db.TenantFindRow, error) {
	return q.TenantFind(ctx, db.TenantFindParams{ProjectID: projectID, BranchName: key.Branch, PathHash: key.PathHash})
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
	err = x.db.Read(ctx, "look up the last branch", func(q *db.Queries) error {
		projectID, err := q.ProjectFind(ctx, db.ProjectFindParams{Name: project})
		if err != nil {
			return err
		}
		branch, err = q.TenantLastBranch(ctx, db.TenantLastBranchParams{ProjectID: projectID, PathHash: pathHash})
		return err
	})
	return branch, exceptNoRows(err)
}

// HandbookEdition is the handbook between two changes: equal editions have
// equal content. The zero value is a handbook that was never filled.
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
