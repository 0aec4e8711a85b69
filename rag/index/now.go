package index

import (
	"context"
	"maps"
	"slices"

	"github.com/compound-docs/compound-docs/rag/catalog"

	"github.com/google/uuid"

	"github.com/compound-docs/compound-docs/db"
)

// EmbedDocument embeds what one document lacks, beside the queue. Passages that the
// model refuses are no error.
func (q *Queue) EmbedDocument(ctx context.Context, collection catalog.Collection, path string) error {
	model, err := q.useModel(ctx)
	if err != nil {
		return err
	}
	for refused := map[uuid.UUID]error{}; ; {
		var passages []unembedded
		err := q.index.db.Read(ctx, "find passages to embed", func(queries *db.Queries) (err error) {
			passages, err = queries.EmbeddingQueue(ctx, db.EmbeddingQueueParams{
				ProjectID: q.tenant.ProjectID, TenantID: q.tenant.ID, Collection: collection, ModelID: model.id,
				Paths: []string{path}, Skipped: slices.Collect(maps.Keys(refused)), MaxPassages: maxBatchPassages,
			})
			return err
		})
		if err != nil || len(passages) == 0 {
			return err
		}
		if err := q.embedNow(ctx, model, collection, passages, refused); err != nil {
			return err
		}
	}
}

// embedNow embeds the first batch of passages, or waits a moment if other callers are
// embedding them all. It adds to refused.
func (q *Queue) embedNow(
	ctx context.Context, model usedModel, collection catalog.Collection, passages []unembedded, refused map[uuid.UUID]error,
) error {
	passages, release := q.index.claims.take(passages)
	defer release()
	if len(passages) == 0 {
		return sleep(ctx, claimWait)
	}
	vectors, reasons, err := q.index.embedGuarded(ctx, model, passages[:q.index.pace.batch(passages)])
	if err != nil {
		return err
	}
	maps.Copy(refused, reasons)
	return q.index.storeVectors(ctx, q.tenant.ProjectID, model, collection, vectors)
}
