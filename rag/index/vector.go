package index

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/google/uuid"
	"github.com/pgvector/pgvector-go"

	"github.com/compound-docs/compound-docs/db"
	"github.com/compound-docs/compound-docs/internal/document"
	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/rag/markdown"
	"github.com/compound-docs/compound-docs/rag/model"
)

// vector is the embedding of a passage.
type vector struct {
	hash      uuid.UUID
	embedding []float32
}

// embedParts embeds a passage that is too long for the model in halves, or their
// halves. Its vector is the mean of theirs, by their lengths.
func (x *Index) embedParts(ctx context.Context, heading, text string) (model.Embedding, error) {
	first, second, ok := markdown.Halve(text)
	if !ok {
		return model.Embedding{Err: model.ErrInputTooLong}, nil
	}
	parts := []string{first, second}
	embeddings, err := x.embedder.Embed(ctx, []string{embeddedText(heading, parts[0]), embeddedText(heading, parts[1])})
	if err != nil {
		return model.Embedding{}, fmt.Errorf("embed a long passage: %w", err)
	}
	var sum []float64
	digest := ""
	for i, embedding := range embeddings {
		if errors.Is(embedding.Err, model.ErrInputTooLong) {
			if embedding, err = x.embedParts(ctx, heading, parts[i]); err != nil {
				return model.Embedding{}, err
			}
		}
		if embedding.Err != nil {
			return embedding, nil //nolint:nilerr // the passage's own error
		}
		if digest == "" {
			digest = embedding.Digest
		}
		if embedding.Digest != digest {
			return model.Embedding{}, model.ErrModelReplaced
		}
		if sum == nil {
			sum = make([]float64, len(embedding.Vector))
		}
		for j, component := range embedding.Vector {
			sum[j] += float64(component) * float64(len(parts[i]))
		}
	}
	return model.Embedding{Vector: unitVector(sum), Digest: digest}, nil
}

func unitVector(sum []float64) []float32 {
	length := 0.0
	for _, component := range sum {
		length += component * component
	}
	vector := make([]float32, len(sum))
	for i, component := range sum {
		vector[i] = float32(component / max(math.Sqrt(length), math.SmallestNonzeroFloat32))
	}
	return vector
}

func (x *Index) storeVectors(
	ctx context.Context, projectID int32, model *usedModel, collection catalog.Collection, vectors []vector,
) error {
	if len(vectors) == 0 {
		return nil
	}
	// Two servers insert the same rows in the same order, so they cannot deadlock.
	slices.SortFunc(vectors, func(a, b vector) int { return compareHashes(a.hash, b.hash) })
	params := db.EmbeddingInsertManyParams{ProjectID: projectID, Collection: collection, ModelID: model.id}
	for _, v := range vectors {
		params.Hashes = append(params.Hashes, v.hash)
		params.Embeddings = append(params.Embeddings, pgvector.NewHalfVector(v.embedding))
	}
	return x.db.Write(ctx, "add vectors", func(q *db.Queries) error {
		if err := lockPassagesShared(ctx, q, projectID); err != nil {
			return err
		}
		return q.EmbeddingInsertMany(ctx, params)
	})
}

// failures returns which documents have the passages that cannot be embedded.
func (x *Index) failures(ctx context.Context, tenant *catalog.Tenant, reasons map[uuid.UUID]error) ([]document.Failure, error) {
	rows, err := db.ReadOne(ctx, x.db, "find passages", (*db.Queries).ChunkPlaces, db.ChunkPlacesParams{
		ProjectID: tenant.ProjectID, TenantID: tenant.ID, Hashes: slices.Collect(maps.Keys(reasons)),
	})
	failures := make([]document.Failure, len(rows))
	for i, row := range rows {
		failures[i] = document.Failure{Path: row.RelativePath, Err: fmt.Errorf(
			"lines %d to %d are found by their words only: %w", row.StartLine, row.EndLine, reasons[row.PassageHash])}
	}
	return failures, err
}
