package index

import (
	"context"

	"github.com/compound-docs/compound-docs/db"
	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/rag/ollama"
)

// registerModel is [rag.CheckModel] for a caller that is about to add vectors: the
// current model becomes that of a tenant which has none.
func (x *Index) registerModel(ctx context.Context, tenant *rag.Tenant) (ollama.Model, error) {
	current, registered, err := rag.CheckModel(ctx, x.db, x.embedder, tenant)
	if err != nil || registered {
		return current, err
	}
	return current, x.db.Write(ctx, "set embedding model", func(q *db.Queries) error {
		return setModel(ctx, q, tenant, current, false)
	})
}

// setModel makes the model the tenant's. Without replace, a model that another
// process has set meanwhile stays, and the difference is found when documents are
// written.
func setModel(ctx context.Context, q *db.Queries, tenant *rag.Tenant, model ollama.Model, replace bool) error {
	id, err := q.EmbeddingModelUpsert(ctx, db.EmbeddingModelUpsertParams{
		Name: model.Name, Digest: model.Digest, Dimensions: int32(model.Dimensions), PromptVersion: int32(model.PromptVersion),
	})
	if err != nil {
		return err
	}
	changed, err := q.TenantSetEmbeddingModel(ctx, db.TenantSetEmbeddingModelParams{
		EmbeddingModelID: id, ProjectID: tenant.ProjectID, ID: tenant.ID, Generation: tenant.Generation, Replace: replace,
	})
	if err == nil && changed == 0 {
		err = db.ErrTenantGone
	}
	return err
}

// ModelChanged reports whether another embedding model than the current one made
// the tenant's vectors. Then the tenant cannot be searched or added to before a
// [Index.Reset].
func (x *Index) ModelChanged(ctx context.Context, tenant *rag.Tenant) (changed bool, err error) {
	current, err := rag.CurrentModel(ctx, x.embedder)
	if err != nil {
		return false, err
	}
	err = x.db.Read(ctx, "read embedding model", func(q *db.Queries) error {
		stored, err := rag.StoredModel(ctx, q, tenant)
		changed = stored != nil && *stored != current
		return err
	})
	return changed, err
}

// Reset removes the tenant's documents of every collection and makes the current
// embedding model the tenant's, in one transaction: the index never mixes vectors
// of two models. The documents come back as they are indexed. Passages stay, so that
// those which the current model has already embedded are not embedded again.
func (x *Index) Reset(ctx context.Context, tenant *rag.Tenant) error {
	current, err := rag.CurrentModel(ctx, x.embedder)
	if err != nil {
		return err
	}
	return x.db.Write(ctx, "empty the index", func(q *db.Queries) error {
		// The tenant's row comes first. A writer that has locked it finishes before,
		// and what it wrote is removed too; later ones find the new model in it.
		if err := setModel(ctx, q, tenant, current, true); err != nil {
			return err
		}
		if err := q.DocumentDeleteByTenant(ctx, db.DocumentDeleteByTenantParams{
			ProjectID: tenant.ProjectID, TenantID: tenant.ID,
		}); err != nil {
			return err
		}
		return tenant.IncrementVersion(ctx, q)
	})
}
