package index

import (
	"context"

	"github.com/compound-docs/compound-docs/rag/catalog"

	"github.com/google/uuid"

	"github.com/compound-docs/compound-docs/db"
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
	used, set, err := q.findModel(ctx, current)
	if err == nil && !set {
		used, err = q.setModel(ctx, used)
	}
	if err != nil {
		return usedModel{}, err
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.model = used
	q.refused = map[uuid.UUID]error{}
	return used, nil
}

// findModel returns the model, without an id if the database does not know it, and whether
// it is the tenant's already.
func (q *Queue) findModel(ctx context.Context, current ollama.Model) (used usedModel, set bool, err error) {
	used.Model = current
	var tenants int32
	err = q.index.db.Pipeline(ctx, "find the embedding model",
		func(queries *db.Queries) (err error) {
			used.id, err = queries.EmbeddingModelFind(ctx, findParams(current))
			if db.IsNoRows(err) {
				return nil
			}
			return err
		},
		func(queries *db.Queries) (err error) {
			tenants, err = queries.TenantEmbeddingModel(ctx, db.TenantEmbeddingModelParams{ProjectID: q.tenant.ProjectID, ID: q.tenant.ID})
			return err
		})
	return used, used.id != 0 && used.id == tenants, err
}

func findParams(model ollama.Model) db.EmbeddingModelFindParams {
	return db.EmbeddingModelFindParams{
		Name: model.Name, Digest: model.Digest, Dimensions: int32(model.Dimensions), PromptVersion: int32(model.PromptVersion),
	}
}

// setModel makes the model the tenant's. Only one that the database does not know is
// written there: on Citus that needs every node.
func (q *Queue) setModel(ctx context.Context, used usedModel) (usedModel, error) {
	known := used.id != 0
	err := q.index.db.Write(ctx, "set embedding model", func(queries *db.Queries) (err error) {
		if !known {
			if used.id, err = queries.EmbeddingModelUpsert(ctx, db.EmbeddingModelUpsertParams(findParams(used.Model))); err != nil {
				return err
			}
		}
		rows, err := queries.TenantSetEmbeddingModel(ctx, db.TenantSetEmbeddingModelParams{
			EmbeddingModelID: used.id, ProjectID: q.tenant.ProjectID, ID: q.tenant.ID, Generation: q.tenant.Generation,
		})
		if err == nil && rows == 0 {
			err = db.ErrTenantGone
		}
		return err
	})
	return used, err
}

// deletedVectors is how many vectors one statement deletes.
const deletedVectors = 10_000

// deleteUnusedVectors deletes the vectors of models that no tenant of the project
// uses any more.
func (x *Index) deleteUnusedVectors(ctx context.Context, projectID int32, collections []catalog.Collection) error {
	for more := true; more; {
		err := x.db.Write(ctx, "delete vectors of a former model", func(q *db.Queries) error {
			more = false
			used, err := q.TenantEmbeddingModels(ctx, db.TenantEmbeddingModelsParams{ProjectID: projectID})
			if err != nil {
				return err
			}
			deletes := make([]func(q *db.Queries) error, len(collections))
			for i, collection := range collections {
				params := db.EmbeddingDeleteUnusedParams{
					ProjectID: projectID, Collection: collection, Used: used, MaxEmbeddings: deletedVectors,
				}
				deletes[i] = func(q *db.Queries) error {
					deleted, err := q.EmbeddingDeleteUnused(ctx, params)
					more = more || deleted == deletedVectors
					return err
				}
			}
			return q.Commit(ctx, deletes...)
		})
		if err != nil {
			return err
		}
	}
	return nil
}
