package index

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"
	"golang.org/x/sync/errgroup"

	"github.com/compound-docs/compound-docs/db"
	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/rag/model"
)

// unembedded is a passage without a vector.
type unembedded = db.EmbeddingQueueRow

// embeddedText returns the text by which a passage is embedded.
func embeddedText(heading, text string) string {
	if heading == "" {
		return text
	}
	return heading + "\n\n" + text
}

// embed embeds the passages, with one request at a time, and writes vectors while the
// next are made. It ends early where other passages may have become more urgent, and waits
// a moment if other callers are embedding them all.
func (q *Queue) embed(ctx context.Context, model *usedModel, front front, report func()) error {
	passages, release := q.index.claims.take(front.passages)
	defer release()
	if len(passages) == 0 {
		return sleep(ctx, claimWait)
	}
	began := time.Now()
	take := func() []unembedded {
		if time.Since(began) > front.refresh && len(q.wake) > 0 {
			<-q.wake
			passages = nil
		}
		n := q.index.pace.batch(passages)
		batch := passages[:n]
		passages = passages[n:]
		return batch
	}
	made := make(chan []vector, maxMade)
	group, groupCtx := errgroup.WithContext(ctx)
	group.Go(func() error {
		for vectors := range made {
			vectors = withMade(vectors, made)
			if err := q.store(groupCtx, model, front.collection, vectors); err != nil {
				return err
			}
			report()
		}
		return nil
	})
	group.Go(func() error {
		defer close(made)
		return q.embedBatches(groupCtx, model, take, made)
	})
	return group.Wait() //nolint:wrapcheck // the embedder's or the database's
}

// maxMade is how many batches wait to be written while others are: they are then written
// together, since a database may be far away.
const maxMade = 8

// withMade adds the vectors that have been made meanwhile.
func withMade(vectors []vector, made <-chan []vector) []vector {
	for range maxMade {
		select {
		case more := <-made: // nil when no more are made
			vectors = append(vectors, more...)
		default:
			return vectors
		}
	}
	return vectors
}

// embedBatches embeds what take returns until that is nothing.
func (q *Queue) embedBatches(ctx context.Context, model *usedModel, take func() []unembedded, made chan<- []vector) error {
	for batch := take(); len(batch) > 0; batch = take() {
		vectors, refused, err := q.index.embedGuarded(ctx, model, batch)
		if err != nil {
			return err
		}
		q.mu.Lock()
		maps.Copy(q.refused, refused)
		q.mu.Unlock()
		select {
		case made <- vectors:
		case <-ctx.Done():
			return ctx.Err() //nolint:wrapcheck // the caller knows why
		}
	}
	return nil
}

func (q *Queue) store(ctx context.Context, model *usedModel, collection catalog.Collection, vectors []vector) error {
	err := func() error {
		q.counting.Lock()
		defer q.counting.Unlock()
		if err := q.index.storeVectors(ctx, q.tenant.ProjectID, model, collection, vectors); err != nil {
			return err
		}
		q.update(func(s *QueueStatus) { s.Missing, s.Err = max(0, s.Missing-len(vectors)), nil })
		return nil
	}()
	if err != nil {
		return err
	}
	if q.growth.add(len(vectors)) {
		q.index.analyzed(ctx, q.index.db.AnalyzeVectors(ctx, collection))
	}
	return nil
}

// embedGuarded is embedBatch, which refuses a passage that makes this program panic.
func (x *Index) embedGuarded(
	ctx context.Context, model *usedModel, batch []unembedded,
) (vectors []vector, refused map[uuid.UUID]error, err error) {
	refused = map[uuid.UUID]error{}
	err = isolate(ctx, x.logger, batch, func(batch []unembedded) error {
		made, reasons, err := x.embedBatch(ctx, model, batch)
		vectors = append(vectors, made...)
		maps.Copy(refused, reasons)
		return err
	}, func(p unembedded, reason error) error {
		refused[p.Hash] = reason
		return nil
	})
	return vectors, refused, err
}

// embedBatch embeds passages in one request. refused says why some have no vector.
func (x *Index) embedBatch(
	ctx context.Context, used *usedModel, batch []unembedded,
) (vectors []vector, refused map[uuid.UUID]error, err error) {
	texts, size := make([]string, len(batch)), 0
	for i, p := range batch {
		texts[i] = embeddedText(p.Heading, p.Content)
		size += len(texts[i])
	}
	began := time.Now()
	embeddings, err := x.embedder.Embed(ctx, texts)
	if err != nil {
		return nil, nil, fmt.Errorf("embed passages: %w", err)
	}
	x.pace.note(len(batch), size, time.Since(began))
	refused = map[uuid.UUID]error{}
	for i, embedding := range embeddings {
		if errors.Is(embedding.Err, model.ErrInputTooLong) {
			if embedding, err = x.embedParts(ctx, batch[i].Heading, batch[i].Content); err != nil {
				return nil, nil, err
			}
		}
		switch {
		case embedding.Err != nil:
			refused[batch[i].Hash] = embedding.Err
		case embedding.Digest != used.Digest:
			return nil, nil, model.ErrModelReplaced
		default:
			vectors = append(vectors, vector{hash: batch[i].Hash, embedding: embedding.Vector})
		}
	}
	return vectors, refused, nil
}

// claimWait is how long a caller waits for passages that other callers are embedding.
const claimWait = 50 * time.Millisecond

// claims are the passages that are being embedded in this process, so that no two callers
// embed one. Safe for concurrent use.
type claims struct {
	mu   sync.Mutex
	held map[uuid.UUID]struct{}
}

// take claims the passages that no other caller holds, and returns them. The caller calls
// release when their vectors are stored.
func (c *claims) take(passages []unembedded) (taken []unembedded, release func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	taken = slices.DeleteFunc(passages, func(p unembedded) bool {
		_, held := c.held[p.Hash]
		return held
	})
	for _, p := range taken {
		c.held[p.Hash] = struct{}{}
	}
	return taken, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		for _, p := range taken {
			delete(c.held, p.Hash)
		}
	}
}

// sleep waits, or returns the error of ctx.
func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err() //nolint:wrapcheck // the caller knows why
	case <-time.After(d):
		return nil
	}
}

// EmbedDocument embeds what one document lacks, beside the queue. Passages that the
// model refuses are no error.
func (q *Queue) EmbedDocument(ctx context.Context, collection catalog.Collection, path string) error {
	model, err := q.useModel(ctx)
	if err != nil {
		return err
	}
	for {
		passages, err := q.read(ctx, db.EmbeddingQueueParams{
			Collection: collection, ModelID: model.id, Paths: []string{path}, MaxPassages: maxQueueFetch,
		})
		if err != nil || len(passages) == 0 {
			return err
		}
		whole := front{collection: collection, passages: passages, refresh: math.MaxInt64}
		if err := q.embed(ctx, model, whole, func() {}); err != nil {
			return err
		}
	}
}
