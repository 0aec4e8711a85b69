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
	err = x.db.Read(ctx, "look up the handbook", func(q *db.Queries) error {
		tenant, row, err := lookUp(ctx, q, catalog.HandbookKey())
		// Both begin at the same number.
		if err == nil && row.Version > row.Generation {
			edition = HandbookEdition{projectID: tenant.ProjectID, tenantID: row.ID, generation: row.Generation, version: row.Version}
		}
		return err
	})
	if db.IsNoRows(err) {
		return HandbookEdition{}, nil
	}
	return edition, err
}

// Scope returns the documents of the edition.
func (e HandbookEdition) Scope() catalog.Scope {
	tenant := &catalog.Tenant{Key: catalog.HandbookKey(), ProjectID: e.projectID, ID: e.tenantID, Generation: e.generation}
	return catalog.Scope{Tenant: tenant, Collection: catalog.Handbook}
}
