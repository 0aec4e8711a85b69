package index

import (
	"context"

	"github.com/compound-docs/compound-docs/db"
	"github.com/compound-docs/compound-docs/rag/catalog"
)

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
	key := catalog.HandbookKey()
	err = x.db.Read(ctx, "look up the handbook", func(q *db.Queries) error {
		projectID, err := x.handbookProject(ctx, q)
		if err != nil {
			return err
		}
		row, err := q.TenantFind(ctx, db.TenantFindParams{
			ProjectID: projectID, BranchName: key.Branch, PathHash: key.PathHash,
		})
		if db.IsNoRows(err) {
			x.handbook.Store(0) // its project may be another one now
		}
		// Both begin at the same number.
		if err == nil && row.Version > row.Generation {
			edition = HandbookEdition{projectID: projectID, tenantID: row.ID, generation: row.Generation, version: row.Version}
		}
		return err
	})
	if db.IsNoRows(err) {
		return HandbookEdition{}, nil
	}
	return edition, err
}

// handbookProject returns the id of the handbook's project, and remembers it.
func (x *Index) handbookProject(ctx context.Context, q *db.Queries) (int32, error) {
	if id := x.handbook.Load(); id != 0 {
		return id, nil
	}
	id, err := q.ProjectFind(ctx, db.ProjectFindParams{Name: catalog.HandbookKey().Project})
	if err == nil {
		x.handbook.Store(id)
	}
	return id, err
}

// Scope returns the documents of the edition.
func (e HandbookEdition) Scope() catalog.Scope {
	tenant := &catalog.Tenant{Key: catalog.HandbookKey(), ProjectID: e.projectID, ID: e.tenantID, Generation: e.generation}
	return catalog.Scope{Tenant: tenant, Collection: catalog.Handbook}
}
