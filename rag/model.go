package rag

import (
	"context"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/compound-docs/compound-docs/db"
	"github.com/compound-docs/compound-docs/rag/ollama"
)

// ModelSource identifies the embedding model.
type ModelSource interface {
	// EmbedModel identifies what makes the vectors, as it was a moment ago. Only its
	// vectors are searched: a passage without one is found by its words.
	EmbedModel(ctx context.Context) (ollama.Model, error)
}

// ErrModelReplaced is the error for vectors of another model than the one that they
// were asked of. Another try finds the new model.
var ErrModelReplaced = Errorf(EmbeddingServiceError, "Ollama has replaced the embedding model meanwhile; try again")

// noModel is the id of a model that has made no vector yet. No row has it.
const noModel int32 = 0

// modelIDs remembers the rows of models. A row is never changed or deleted.
type modelIDs struct {
	known *lru.Cache[ollama.Model, int32]
}

func newModelIDs() modelIDs {
	const maxModels = 16
	return modelIDs{newCache[ollama.Model, int32](maxModels)}
}

// read finds the id of the model, or noModel.
func (m modelIDs) read(ctx context.Context, q *db.Queries, model ollama.Model) (int32, error) {
	id, err := q.EmbeddingModelFind(ctx, db.EmbeddingModelFindParams{
		Name: model.Name, Digest: model.Digest,
		Dimensions: int32(model.Dimensions), PromptVersion: int32(model.PromptVersion),
	})
	switch {
	case db.IsNoRows(err):
		return noModel, nil
	case err != nil:
		return noModel, err
	}
	m.known.Add(model, id)
	return id, nil
}
