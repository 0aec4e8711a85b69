package index

import (
	"context"

	"github.com/compound-docs/compound-docs/rag/catalog"

	"github.com/compound-docs/compound-docs/db"
)

// Inspection counts the passages of a checkout in the index.
type Inspection struct {
	// Missing of Chunks parts of documents have no vector of the model that the checkout
	// was last indexed with.
	Missing, Chunks int
	// Published is set if an indexer has published its status.
	Published bool
}

// Inspect looks at a checkout without registering it, decodes what its indexer last
// published into status, and reports false if the index does not have the checkout.
func (x *Index) Inspect(ctx context.Context, key catalog.TenantKey, status any) (found bool, result Inspection, err error) {
	var tenant *catalog.Tenant
	err = x.db.Read(ctx, "inspect the index", func(q *db.Queries) error {
		result = Inspection{}
		var row db.TenantFindRow
		if tenant, row, err = lookUp(ctx, q, key); err != nil {
			return err
		}
		for _, collection := range []catalog.Collection{catalog.Compounding, catalog.External} {
			progress, err := q.EmbeddingProgress(ctx, db.EmbeddingProgressParams{
				ProjectID: tenant.ProjectID, TenantID: tenant.ID, Collection: collection, ModelID: row.ModelID,
			})
			if err != nil {
				return err
			}
			result.Chunks += int(progress.Chunks)
			result.Missing += int(progress.Missing)
		}
		return nil
	})
	if db.IsNoRows(err) {
		return false, Inspection{}, nil
	}
	if err == nil {
		result.Published, err = x.SyncStatus(ctx, tenant, status)
	}
	return err == nil, result, err
}
