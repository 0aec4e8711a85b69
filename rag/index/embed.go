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
	"github.com/pgvector/pgvector-go"
	"golang.org/x/sync/errgroup"

	"github.com/compound-docs/compound-docs/db"
	"github.com/compound-docs/compound-docs/internal/document"
	"github.com/compound-docs/compound-docs/internal/panics"
	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/rag/markdown"
	"github.com/compound-docs/compound-docs/rag/ollama"
)

// A batch is as much as takes batchTime to embed, so that a search that waits for it
// waits no longer, and what a stop loses is little. It has at most maxBatchPassages.
const (
	batchTime        = 500 * time.Millisecond
	firstBatchBytes  = 4 << 10
	maxBatchBytes    = 64 << 10
	maxBatchPassages = 32
)

// unembedded is a passage without a vector.
type unembedded = db.EmbeddingQueueRow

// embeddedText is what is embedded of a passage.
func embeddedText(heading, text string) string {
	if heading == "" {
		return text
	}
	return heading + "\n\n" + text
}

// pace measures how fast passages are embedded. Safe for concurrent use.
type pace struct {
	mu             sync.Mutex
	bytesPerSecond float64 // 0 before the first batch
}

// batch returns how many of the passages make the next batch, at least one.
func (p *pace) batch(passages []unembedded) int {
	p.mu.Lock()
	room := firstBatchBytes
	if p.bytesPerSecond > 0 {
		room = int(min(p.bytesPerSecond*batchTime.Seconds(), maxBatchBytes))
	}
	p.mu.Unlock()
	n := 0
	for n < min(len(passages), maxBatchPassages) {
		if room -= len(passages[n].Heading) + len(passages[n].Content); room < 0 && n > 0 {
			break
		}
		n++
	}
	return n
}

// note takes the mean of what was known and what a batch took: a single slow one,
// such as that which has to load the model, is soon forgotten.
func (p *pace) note(bytes int, took time.Duration) {
	speed := float64(bytes) / max(took.Seconds(), 1e-6)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.bytesPerSecond == 0 {
		p.bytesPerSecond = speed
	}
	p.bytesPerSecond = (p.bytesPerSecond + speed) / 2
}

// vector is the embedding of a passage.
type vector struct {
	hash      uuid.UUID
	embedding []float32
}

// embed embeds the passages, with one request at a time for each host, and writes
// vectors while the next are made. It ends early where other passages may have become
// more urgent.
func (q *Queue) embed(
	ctx context.Context, model usedModel, collection rag.Collection, passages []unembedded, report func(),
) error {
	passages, release := q.index.claims.take(q.tenant.ProjectID, collection, model, passages)
	defer release()
	if len(passages) == 0 {
		return sleep(ctx, claimWait)
	}
	began := time.Now()
	var mu sync.Mutex
	take := func() []unembedded {
		mu.Lock()
		defer mu.Unlock()
		if time.Since(began) > queueRefresh && len(q.wake) > 0 {
			<-q.wake
			passages = nil
		}
		n := q.index.pace.batch(passages)
		batch := passages[:n]
		passages = passages[n:]
		return batch
	}
	made := make(chan []vector)
	group, groupCtx := errgroup.WithContext(ctx)
	group.Go(func() error {
		for vectors := range made {
			if err := q.store(groupCtx, model, collection, vectors); err != nil {
				return err
			}
			report()
		}
		return nil
	})
	var embedding errgroup.Group
	for range q.index.embedder.Hosts() {
		embedding.Go(func() error { return panics.Catch(func() error { return q.embedBatches(groupCtx, model, take, made) }) })
	}
	group.Go(func() error {
		defer close(made)
		return embedding.Wait() //nolint:wrapcheck // the embedder's
	})
	return group.Wait() //nolint:wrapcheck // the embedder's or the database's
}

// embedBatches embeds what take returns until that is nothing.
func (q *Queue) embedBatches(ctx context.Context, model usedModel, take func() []unembedded, made chan<- []vector) error {
	for batch := take(); len(batch) > 0; batch = take() {
		vectors, refused, err := q.index.embedBatch(ctx, model, batch)
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

func (q *Queue) store(ctx context.Context, model usedModel, collection rag.Collection, vectors []vector) error {
	if err := q.index.storeVectors(ctx, q.tenant.ProjectID, model, collection, vectors); err != nil {
		return err
	}
	q.update(func(s *QueueStatus) { s.Missing = max(0, s.Missing-len(vectors)) })
	if q.growth.add(len(vectors)) {
		q.index.analyze(ctx, collection, db.VectorTables)
	}
	return nil
}

// embedBatch embeds passages in one request. refused says why some have no vector.
func (x *Index) embedBatch(
	ctx context.Context, model usedModel, batch []unembedded,
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
	x.pace.note(size, time.Since(began))
	refused = map[uuid.UUID]error{}
	for i, embedding := range embeddings {
		if errors.Is(embedding.Err, ollama.ErrInputTooLong) {
			if embedding, err = x.embedParts(ctx, batch[i].Heading, batch[i].Content); err != nil {
				return nil, nil, err
			}
		}
		switch {
		case embedding.Err != nil:
			refused[batch[i].Hash] = embedding.Err
		case embedding.Digest != model.Digest:
			return nil, nil, errModelReplaced
		default:
			vectors = append(vectors, vector{hash: batch[i].Hash, embedding: embedding.Vector})
		}
	}
	return vectors, refused, nil
}

// embedParts embeds a passage that is too long for the model in halves, or their
// halves. Its vector is the mean of theirs, by their lengths.
func (x *Index) embedParts(ctx context.Context, heading, text string) (ollama.Embedding, error) {
	first, second, ok := markdown.Passage{Text: text}.Halve()
	if !ok {
		return ollama.Embedding{Err: ollama.ErrInputTooLong}, nil
	}
	parts := []string{first.Text, second.Text}
	embeddings, err := x.embedder.Embed(ctx, []string{embeddedText(heading, parts[0]), embeddedText(heading, parts[1])})
	if err != nil {
		return ollama.Embedding{}, fmt.Errorf("embed a long passage: %w", err)
	}
	var sum []float64
	digest := ""
	for i, embedding := range embeddings {
		if errors.Is(embedding.Err, ollama.ErrInputTooLong) {
			if embedding, err = x.embedParts(ctx, heading, parts[i]); err != nil {
				return ollama.Embedding{}, err
			}
		}
		if embedding.Err != nil {
			return embedding, nil
		}
		if digest == "" {
			digest = embedding.Digest
		}
		if embedding.Digest != digest {
			return ollama.Embedding{}, errModelReplaced
		}
		if sum == nil {
			sum = make([]float64, len(embedding.Vector))
		}
		for j, component := range embedding.Vector {
			sum[j] += float64(component) * float64(len(parts[i]))
		}
	}
	return ollama.Embedding{Vector: unitVector(sum), Digest: digest}, nil
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
	ctx context.Context, projectID int32, model usedModel, collection rag.Collection, vectors []vector,
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
		if err := q.LockProjectShared(ctx, db.LockProjectSharedParams{Class: db.LockPassages, ProjectID: projectID}); err != nil {
			return err
		}
		return q.EmbeddingInsertMany(ctx, params)
	})
}

// failures returns which documents have the passages that cannot be embedded.
func (x *Index) failures(
	ctx context.Context, tenant *rag.Tenant, collections []rag.Collection, reasons map[uuid.UUID]error,
) (failures []document.Failure, err error) {
	hashes := slices.Collect(maps.Keys(reasons))
	err = x.db.Read(ctx, "find passages", func(q *db.Queries) error {
		failures = nil
		for _, collection := range collections {
			rows, err := q.ChunkPlaces(ctx, db.ChunkPlacesParams{
				ProjectID: tenant.ProjectID, TenantID: tenant.ID, Collection: collection, Hashes: hashes,
			})
			if err != nil {
				return err
			}
			for _, row := range rows {
				failures = append(failures, document.Failure{Path: row.RelativePath, Err: fmt.Errorf(
					"lines %d to %d are found by their words only: %w", row.StartLine, row.EndLine, reasons[row.PassageHash])})
			}
		}
		return nil
	})
	return failures, err
}
