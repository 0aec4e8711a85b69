package index

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/pgvector/pgvector-go"

	"github.com/compound-docs/compound-docs/db"
	"github.com/compound-docs/compound-docs/internal/panics"
	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/rag/model"
)

// The size of a batch adapts so that the model takes approximately batchTime for it. So a search waits no longer than
// this for the model, and a program that is stopped loses no more work. A batch has at most maxBatch passages.
const (
	batchTime = 100 * time.Millisecond
	maxBatch  = 32
)

type vector struct {
	hash      uuid.UUID
	embedding []float32
}

// embed embeds passages batch by batch. After each batch it calls the function outdated, and stops if the result is
// true. A goroutine writes the finished vectors. Vectors that embed makes during a write go into the next write.
func (q *Queue) embed(
	ctx context.Context, used *usedModel, collection catalog.Collection, passages []db.EmbeddingQueueRow, outdated func() bool,
) error {
	var unwritten []vector
	written := make(chan error, 1) // the result of the last write
	written <- nil
	for len(passages) > 0 {
		batch := passages[:min(q.batch, len(passages))]
		passages = passages[len(batch):]
		vectors, err := q.embedBatch(ctx, used, batch)
		if err != nil {
			return errors.Join(err, <-written)
		}
		unwritten = append(unwritten, vectors...)
		select {
		case err := <-written:
			if err != nil {
				return err
			}
			ready := unwritten
			unwritten = nil
			go func() {
				written <- panics.Catch(func() error { return q.store(ctx, used, collection, ready) })
			}()
		default:
		}
		if outdated() {
			break
		}
	}
	if err := <-written; err != nil {
		return err
	}
	return q.store(ctx, used, collection, unwritten)
}

// embedBatch embeds passages in one request. q.refused gets the passages that the model refuses, and those that make
// this program panic.
func (q *Queue) embedBatch(ctx context.Context, used *usedModel, batch []db.EmbeddingQueueRow) ([]vector, error) {
	embed := func(ctx context.Context, batch []db.EmbeddingQueueRow) ([]vector, error) {
		texts := make([]string, len(batch))
		for i, p := range batch {
			texts[i] = embeddedText(p.Heading, p.Content)
		}
		embeddings, err := q.timed(ctx, texts, q.index.embedder.Embed)
		if err != nil {
			return nil, fmt.Errorf("embed passages: %w", err)
		}
		var vectors []vector
		for i, embedding := range embeddings {
			if errors.Is(embedding.Err, model.ErrInputTooLong) {
				embedding, err = q.index.embedParts(ctx, batch[i].Heading, batch[i].Content)
				if err != nil {
					return nil, err
				}
			}
			switch {
			case embedding.Err != nil:
				q.refuse(batch[i].Hash, embedding.Err)
			case embedding.Digest != used.Digest:
				return nil, model.ErrModelReplaced
			default:
				vectors = append(vectors, vector{hash: batch[i].Hash, embedding: embedding.Vector})
			}
		}
		return vectors, nil
	}
	refuse := func(p db.EmbeddingQueueRow, reason error) ([]vector, error) {
		q.refuse(p.Hash, reason)
		return nil, nil
	}
	return isolate(ctx, q.index.logger, batch, embed, refuse)
}

// timed calls embed. It halves the next batch if embed takes longer than batchTime, and otherwise doubles it.
func (q *Queue) timed(
	ctx context.Context, texts []string, embed func(ctx context.Context, texts []string) ([]model.Embedding, error),
) ([]model.Embedding, error) {
	began := time.Now()
	embeddings, err := embed(ctx, texts)
	switch {
	case time.Since(began) > batchTime:
		q.batch = max(q.batch/2, 1)
	case len(texts) == q.batch: // a smaller batch does not show how long a larger one takes
		q.batch = min(2*q.batch, maxBatch)
	}
	return embeddings, err
}

func (q *Queue) refuse(hash uuid.UUID, reason error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.refused[hash] = reason
}

// store writes vectors, and updates the number of missing vectors in the status.
func (q *Queue) store(ctx context.Context, used *usedModel, collection catalog.Collection, vectors []vector) error {
	if len(vectors) == 0 {
		return nil
	}
	if err := q.storeCounted(ctx, used, collection, vectors); err != nil {
		return err
	}
	if q.growth.add(len(vectors)) {
		q.index.reportAnalysis(ctx, q.index.db.AnalyzeVectors(ctx, collection))
	}
	return nil
}

func (q *Queue) storeCounted(ctx context.Context, used *usedModel, collection catalog.Collection, vectors []vector) error {
	if err := q.counting.Acquire(ctx, 1); err != nil {
		return err //nolint:wrapcheck // the caller knows why
	}
	defer q.counting.Release(1)
	// All servers insert vectors in this order, so that no two of them deadlock.
	slices.SortFunc(vectors, func(a, b vector) int { return compareHashes(a.hash, b.hash) })
	params := db.EmbeddingInsertManyParams{ProjectID: q.tenant.ProjectID, Collection: collection, ModelID: used.id}
	for _, v := range vectors {
		params.Hashes = append(params.Hashes, v.hash)
		params.Embeddings = append(params.Embeddings, pgvector.NewHalfVector(v.embedding))
	}
	err := q.index.db.WriteBatch(ctx, "add vectors", func(queries *db.Queries) error {
		return errors.Join(
			lockPassagesShared(ctx, queries, q.tenant.ProjectID), queries.EmbeddingInsertMany(ctx, params),
		)
	})
	if err != nil {
		return err
	}
	q.update(func(s *QueueStatus) { s.Missing, s.Err = max(0, s.Missing-len(vectors)), nil })
	return nil
}

// documentWait bounds the wait for the vectors of one document. The queue makes late vectors in its usual order.
const documentWait = 5 * time.Second

// EmbedDocument embeds the passages of one document before all others in the queue. It does not retry. It returns
// [model.ErrLate] if the queue is busy for too long. A passage that the model refuses is no error.
func (q *Queue) EmbedDocument(ctx context.Context, collection catalog.Collection, path string) error {
	ctx, cancel := context.WithTimeout(model.FailFast(ctx), documentWait)
	defer cancel()
	q.impatient.Add(1)
	err := q.turn.Acquire(ctx, 1)
	q.impatient.Add(-1)
	if errors.Is(err, context.DeadlineExceeded) {
		return model.ErrLate // the queue is embedding other documents
	}
	if err != nil {
		return err //nolint:wrapcheck // the caller knows why
	}
	defer q.turn.Release(1)
	used, err := q.useModel(ctx)
	if err != nil {
		return err
	}
	for {
		passages, err := q.unembedded(ctx, used, collection, []string{path})
		if err != nil || len(passages) == 0 {
			return err
		}
		if err := q.embed(ctx, used, collection, passages, func() bool { return false }); err != nil {
			return err
		}
	}
}
