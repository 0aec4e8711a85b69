package index

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/google/uuid"
	"golang.org/x/sync/semaphore"

	"github.com/compound-docs/compound-docs/db"
	"github.com/compound-docs/compound-docs/internal/panics"
	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/rag/model"
)

const (
	// batchesRead is how many batches of passages one read of the queue returns. Embedding this many takes some seconds.
	batchesRead = 64
	// queueRefresh is how long the queue embeds the passages that it has read, before new passages may interrupt it.
	queueRefresh = 2 * time.Second
	// queueIdle is how often Run looks again at an empty queue: it may have filled because the model was replaced.
	queueIdle = time.Minute
)

// fewPassages is the greatest number of missing vectors that the queue makes before it measures the model. To measure,
// it embeds just as many texts. If the model server allows only few requests, the passages get these requests first.
const fewPassages = 120

// firstRetry is how long a queue waits after a failure. After each further failure it waits longer, up to lastRetry.
const (
	firstRetry = 500 * time.Millisecond
	lastRetry  = 15 * time.Second
)

// Queue makes the missing vectors of a tenant's passages. A passage is in the queue while the database has no vector of
// the present model for it. So no crash and no change of the model loses a passage. Safe for concurrent use.
type Queue struct {
	index       *Index
	tenant      *catalog.Tenant
	collections []catalog.Collection // the first is embedded first
	onChange    func()
	// wake holds a token when there may be new passages.
	wake   chan struct{}
	growth growth

	// turn is held by the goroutine that reads passages, embeds them and writes their vectors. impatient counts the
	// goroutines that wait for the turn to embed one document. If it is not 0, the holder gives up the turn after a batch.
	turn      *semaphore.Weighted
	impatient atomic.Int32
	// batch is the size of the next batch. Only the goroutine that holds the turn uses it.
	batch int

	// counting is held while vectors are counted or inserted, until status has the new number: no vector may count twice.
	counting *semaphore.Weighted

	mu     sync.Mutex
	status QueueStatus
	// wakes counts the calls of Wake. countedWakes is the value of wakes when the passages were last counted.
	wakes, countedWakes int
	model               *usedModel
	// refused has the passages that the model cannot embed, by hash, with the reasons.
	refused map[uuid.UUID]error
}

// Queue returns a new queue of a tenant's passages in the collections.
func (x *Index) Queue(tenant *catalog.Tenant, collections ...catalog.Collection) *Queue {
	return &Queue{
		index: x, tenant: tenant, collections: collections, wake: make(chan struct{}, 1), onChange: func() {},
		turn: semaphore.NewWeighted(1), counting: semaphore.NewWeighted(1), batch: 1, wakes: 1, model: &usedModel{},
	}
}

// OnChange makes the queue call f after each change of its status, and returns the queue. f must not block.
func (q *Queue) OnChange(f func()) *Queue {
	q.onChange = f
	return q
}

// Wake tells the queue that there may be new passages.
func (q *Queue) Wake() {
	q.mu.Lock()
	q.wakes++
	q.mu.Unlock()
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

// LookForModel asks the model server which model it has, so that a failure is soon in the status.
func (q *Queue) LookForModel(ctx context.Context) {
	if _, err := q.index.embedder.EmbedModel(model.FailFast(ctx)); err != nil && ctx.Err() == nil {
		q.setErr(err)
	}
}

// Run embeds the passages that are in the queue or enter it, until ctx ends. It retries after failures.
func (q *Queue) Run(ctx context.Context) {
	retry := backoff.NewExponentialBackOff()
	retry.InitialInterval, retry.MaxInterval = firstRetry, lastRetry
	for {
		err := panics.Catch(func() error { return q.Drain(ctx, nil) })
		if ctx.Err() != nil {
			return
		}
		q.setErr(err)
		if err != nil {
			q.index.logger.WarnContext(ctx, "embedding waits", "error", err)
			wait := retry.NextBackOff()
			if failure, ok := errors.AsType[*model.ServerError](err); ok {
				wait = max(wait, min(failure.RetryAfter, time.Minute)) // the server may recover sooner than it says
			}
			select {
			case <-ctx.Done():
				return
			case <-time.After(wait):
			}
			continue
		}
		retry.Reset()
		q.rest(ctx)
	}
}

// rest waits until there may be something to embed, or until Wake is called. Every queueIdle it looks whether the model
// has changed, or somebody uses this server: then another server may have left passages in the queue.
func (q *Queue) rest(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-q.wake:
			return
		case <-time.After(queueIdle):
		}
		current, err := q.index.embedder.EmbedModel(ctx)
		if err != nil || current != q.currentModel().Model || !q.index.Idle() {
			return
		}
	}
}

// Drain embeds until every passage has a vector, except passages that the model refuses. If report is not nil, Drain
// calls it first and after each batch, with the number of passages that have a vector and the number of all passages.
func (q *Queue) Drain(ctx context.Context, report func(done, total int)) error {
	for {
		empty, err := q.step(ctx, func() {
			if status := q.Status(); report != nil {
				report(status.Chunks-status.Missing, status.Chunks)
			}
		})
		if errors.Is(err, model.ErrModelReplaced) {
			continue
		}
		if empty || err != nil {
			return err
		}
	}
}

// step reads the most urgent passages and embeds them. It reports whether the queue was empty.
func (q *Queue) step(ctx context.Context, report func()) (bool, error) {
	if err := q.turn.Acquire(ctx, 1); err != nil {
		return false, err //nolint:wrapcheck // the caller knows why
	}
	defer q.turn.Release(1)
	used, err := q.useModel(ctx)
	if err != nil {
		return false, err
	}
	missing, err := q.count(ctx, used.id)
	if err != nil {
		return false, err
	}
	report()
	all := int64(0)
	for _, n := range missing {
		all += n
	}
	if all > fewPassages {
		if err := q.calibrate(ctx, used); err != nil {
			return false, err
		}
	}
	collection, passages, err := q.next(ctx, used, missing)
	if err != nil {
		return false, err
	}
	if len(passages) > 0 {
		read := time.Now()
		return false, q.embed(ctx, used, collection, passages, func() bool {
			report()
			return q.outdated(read)
		})
	}
	if q.Status().Chunks > 0 {
		if err := q.calibrate(ctx, used); err != nil {
			return false, err
		}
	}
	if all > 0 {
		// The model refused the missing passages, or another server has embedded them since the count.
		if _, err := q.count(ctx, used.id); err != nil {
			return false, err
		}
		report()
	}
	if err := q.reportRefused(ctx); err != nil {
		return false, err
	}
	return true, q.tidy(ctx, used)
}

// next reads passages without a vector from the first collection that has such passages, or no passages. missing says
// how many vectors each collection lacks, in the order of q.collections.
func (q *Queue) next(ctx context.Context, used *usedModel, missing []int64) (catalog.Collection, []db.EmbeddingQueueRow, error) {
	for i, collection := range q.collections {
		if missing[i] == 0 {
			continue
		}
		passages, err := q.unembedded(ctx, used, collection, nil)
		if err != nil || len(passages) > 0 {
			return collection, passages, err
		}
	}
	return "", nil, nil
}

// unembedded returns the most urgent passages of a collection without a vector, except those that the model refused. If
// paths is not nil, it returns only passages of these documents.
func (q *Queue) unembedded(
	ctx context.Context, used *usedModel, collection catalog.Collection, paths []string,
) ([]db.EmbeddingQueueRow, error) {
	q.mu.Lock()
	refused := slices.Collect(maps.Keys(q.refused))
	q.mu.Unlock()
	return db.ReadOne(ctx, q.index.db, "read the queue of passages to embed", (*db.Queries).EmbeddingQueue, db.EmbeddingQueueParams{
		ProjectID: q.tenant.ProjectID, TenantID: q.tenant.ID, Collection: collection, ModelID: used.id,
		Paths: paths, Skipped: refused, MaxPassages: int32(batchesRead * q.batch),
	})
}

// outdated reports whether there may be passages that are more urgent than the passages that the queue read at readAt.
func (q *Queue) outdated(readAt time.Time) bool {
	if q.impatient.Load() > 0 {
		return true
	}
	if time.Since(readAt) < queueRefresh {
		return false
	}
	select {
	case <-q.wake:
		return true
	default:
		return false
	}
}

// tidy is called when everything is embedded. It deletes the vectors of unused models, and merges the terms that a sync
// has added into the index of terms. It runs once for each model of this process, even for a model that the database
// already knew: the server that changed the model may have been killed before its own tidy.
func (q *Queue) tidy(ctx context.Context, used *usedModel) error {
	if used.tidied {
		return nil
	}
	if err := q.index.deleteUnusedVectors(ctx, q.tenant.ProjectID); err != nil {
		return err
	}
	if err := q.index.db.MergeTerms(ctx, q.collections...); err != nil {
		return err
	}
	used.tidied = true
	return nil
}
