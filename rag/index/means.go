package index

import (
	"context"

	"github.com/compound-docs/compound-docs/rag/catalog"

	"github.com/compound-docs/compound-docs/db"
	"github.com/compound-docs/compound-docs/internal/document"
)

// Mean is what the index knows of the meaning of a document.
type Mean struct {
	// Hash is that of the file of which the vectors are.
	Hash document.Hash
	// Vector is the mean of the vectors of the document's passages.
	Vector []float32
}

// Means returns those of the project's own documents that have a vector for every passage,
// by their paths. The vectors are of the model that the checkout was last indexed with.
// There are none if the index does not have the checkout, which is not registered.
func (x *Index) Means(ctx context.Context, key catalog.TenantKey) (map[string]Mean, error) {
	var means map[string]Mean
	err := x.db.Read(ctx, "read the vectors of documents", func(q *db.Queries) error {
		means = map[string]Mean{}
		tenant, row, err := lookUp(ctx, q, key)
		if err != nil {
			return err
		}
		rows, err := q.EmbeddingMeans(ctx, db.EmbeddingMeansParams{
			ProjectID: tenant.ProjectID, TenantID: tenant.ID, Collection: catalog.Compounding, ModelID: row.ModelID,
		})
		for _, row := range rows {
			mean := Mean{Vector: row.Mean.Slice()}
			copy(mean.Hash[:], row.ContentHash)
			means[row.RelativePath] = mean
		}
		return err
	})
	if db.IsNoRows(err) {
		return means, nil
	}
	return means, err
}

// lookUp finds a checkout, with the model that makes its vectors, 0 before the first. The error
// says that there are no rows if the index does not have the checkout.
func lookUp(ctx context.Context, q *db.Queries, key catalog.TenantKey) (*catalog.Tenant, db.TenantFindRow, error) {
	projectID, err := q.ProjectFind(ctx, db.ProjectFindParams{Name: key.Project})
	if err != nil {
		return nil, db.TenantFindRow{}, err
	}
	row, err := q.TenantFind(ctx, db.TenantFindParams{ProjectID: projectID, BranchName: key.Branch, PathHash: key.PathHash})
	return &catalog.Tenant{Key: key, ProjectID: projectID, ID: row.ID, Generation: row.Generation}, row, err
}
