package rag

import (
	"context"
	"fmt"

	"github.com/compound-docs/compound-docs/db"
	"github.com/compound-docs/compound-docs/rag/ollama"
)

// ModelSource identifies the embedding model.
type ModelSource interface {
	// EmbedModel identifies what makes the vectors, as it was a moment ago.
	EmbedModel(ctx context.Context) (ollama.Model, error)
	// FreshModel identifies what makes the vectors now.
	FreshModel(ctx context.Context) (ollama.Model, error)
}

// CheckModel returns the current embedding model if the tenant's vectors can be
// compared with those that it makes. Vectors of two models cannot be compared: for
// a tenant of another model CheckModel fails until it is indexed again. A tenant
// that has no vectors yet fits any model, and registered is false for it.
//
// Nothing is written, and nothing is kept: the model may change under a running
// server, and another process may index the tenant again.
func CheckModel(
	ctx context.Context, database *db.Database, models ModelSource, tenant *Tenant,
) (current ollama.Model, registered bool, err error) {
	if current, err = CurrentModel(ctx, models); err != nil {
		return ollama.Model{}, false, err
	}
	var stored *ollama.Model
	err = database.Read(ctx, "read embedding model", func(q *db.Queries) error {
		stored, err = StoredModel(ctx, q, tenant)
		return err
	})
	if err != nil {
		return ollama.Model{}, false, err
	}
	if stored != nil && *stored != current {
		// Another process may have seen a change of the model before this one.
		if current, err = models.FreshModel(ctx); err != nil {
			return ollama.Model{}, false, fmt.Errorf("identify the embedding model: %w", err)
		}
		if *stored != current {
			return ollama.Model{}, false, modelChanged(tenant, *stored, current)
		}
	}
	return current, stored != nil, nil
}

// CurrentModel returns the embedding model that Ollama has.
func CurrentModel(ctx context.Context, models ModelSource) (ollama.Model, error) {
	model, err := models.EmbedModel(ctx)
	if err != nil {
		return ollama.Model{}, fmt.Errorf("identify the embedding model: %w", err)
	}
	return model, nil
}

// StoredModel returns the model that made the tenant's vectors, nil before the
// first, and [db.ErrTenantGone] for a tenant that was deleted since it was
// registered.
func StoredModel(ctx context.Context, q *db.Queries, tenant *Tenant) (*ollama.Model, error) {
	row, err := q.TenantEmbeddingModel(ctx, db.TenantEmbeddingModelParams{
		ProjectID: tenant.ProjectID, ID: tenant.ID, Generation: tenant.Generation,
	})
	switch {
	case db.IsNoRows(err):
		return nil, db.ErrTenantGone
	case err != nil || row.Name == nil:
		return nil, err
	default:
		return &ollama.Model{
			Name: *row.Name, Digest: *row.Digest, Dimensions: int(*row.Dimensions), PromptVersion: int(*row.PromptVersion),
		}, nil
	}
}

// ErrModelReplaced returns the error for a call that was given vectors of another
// model than the one it began with. The next call finds the new model.
func ErrModelReplaced() *Error {
	return Errorf(EmbeddingServiceError, "Ollama has replaced the embedding model meanwhile; try again")
}

func modelChanged(tenant *Tenant, stored, current ollama.Model) *Error {
	subject, remedy := "this project", "`compound-docs reindex` in the repository"
	if tenant.Key == HandbookKey() {
		subject, remedy = "the handbook", "`compound-docs ingest --source DIR` for each of its folders"
	}
	e := Errorf(EmbeddingServiceError, "%s was indexed with another version of the embedding model than Ollama has now, "+
		"and their vectors cannot be compared; run %s to embed it again", subject, remedy)
	return e.With("indexed_with", describeModel(stored)).With("current", describeModel(current))
}

func describeModel(m ollama.Model) string {
	return fmt.Sprintf("%s, digest %.12s, %d dimensions, prompt %d", m.Name, m.Digest, m.Dimensions, m.PromptVersion)
}
