package index

import (
	"context"

	"github.com/google/uuid"

	"github.com/compound-docs/compound-docs/db"
	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/rag/ollama"
)

// usedModel is the model that makes a tenant's vectors.
type usedModel struct {
	ollama.Model

	id int32
}

// useModel makes the embedding model that Ollama has the tenant's.
func (q *Queue) useModel(ctx context.Context) (usedModel, error) {
	current, err := q.index.embedder.EmbedModel(ctx)
	if err != nil {
		return usedModel{}, err
	}
	q.mu.Lock()
	used := q.model
	q.mu.Unlock()
	if used.Model == current {
		return used, nil
	}
	used = usedModel{Model: current}
	err = q.index.db.Write(ctx, "set embedding model", func(queries *db.Queries) (err error) {
		used.id, err = queries.EmbeddingModelUpsert(ctx, db.EmbeddingModelUpsertParams{
			Name: current.Name, Digest: current.Digest, Dimensions: int32(current.Dimensions),
			PromptVersion: int32(current.PromptVersion),
		})
		if err != nil {
			return err
		}
		rows, err := queries.TenantSetEmbeddingModel(ctx, db.TenantSetEmbeddingModelParams{
			EmbeddingModelID: used.id, ProjectID: q.tenant.ProjectID, ID: q.tenant.ID, Generation: q.tenant.Generation,
		})
		if err == nil && rows == 0 {
			err = db.ErrTenantGone
		}
		return err
	})
	if err != nil {
		return usedModel{}, err
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.model = used
	q.refused = map[uuid.UUID]error{}
	return used, nil
}

// deletedVectors is how many vectors one statement deletes.
const deletedVectors = 10_000

// deleteUnusedVectors deletes the vectors of models that no tenant of the project
// uses any more.
func (x *Index) deleteUnusedVectors(ctx context.Context, projectID int32, collections []rag.Collection) error {
	for _, collection := range collections {
		for deleted := int64(deletedVectors); deleted == deletedVectors; {
			err := x.db.Write(ctx, "delete vectors of a former model", func(q *db.Queries) error {
				used, err := q.TenantEmbeddingModels(ctx, db.TenantEmbeddingModelsParams{ProjectID: projectID})
				if err != nil {
					return err
				}
				deleted, err = q.EmbeddingDeleteUnused(ctx, db.EmbeddingDeleteUnusedParams{
					ProjectID: projectID, Collection: collection, Used: used, MaxEmbeddings: deletedVectors,
				})
				return err
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// Reset removes the tenant's documents of every collection, so that they are indexed
// again. Passages and vectors stay for them and for other checkouts.
func (x *Index) Reset(ctx context.Context, tenant *rag.Tenant) error {
	return x.db.Write(ctx, "empty the index", func(q *db.Queries) error {
		if err := tenant.IncrementVersion(ctx, q); err != nil {
			return err
		}
		return q.DocumentDeleteByTenant(ctx, db.DocumentDeleteByTenantParams{
			ProjectID: tenant.ProjectID, TenantID: tenant.ID,
		})
	})
}
