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
	// batchesRead is how many batches of passages are read from the queue at a time. They
	// take some seconds to embed.
	batchesRead = 64
	// queueRefresh is the time between two reads of the queue while it is embedded.
	queueRefresh = 2 * time.Second
	// queueIdle is how often Run checks whether an empty queue has filled: the model may have been replaced.
	queueIdle = time.Minute
	// uselessIdle is the same while the model is of no use.
	uselessIdle = 5 * time.Second
)

// fewPassages is the greatest number of missing vectors that the queue makes before it measures the model. Measuring
// embeds as many texts, so a server that answers only few requests makes at least these vectors.
const fewPassages = 120

// How long a queue waits after a failure.
const (
	firstRetry = 500 * time.Millisecond
	lastRetry  = 15 * time.Second
)

// Queue embeds the passages of a tenant's documents that have no vector of the present model. The database
// alone says which these are, so no crash and no change of the model loses one. Safe for concurrent use.
type Queue struct {
	index       *Index
	tenant      *catalog.Tenant
	collections []catalog.Collection // the first is embedded first
	onChange    func()
	// wake holds a token when there may be new passages.
	wake   chan struct{}
	growth growth

	// turn is held by the goroutine that reads passages, embeds them and writes their vectors. Another
	// one that is impatient gets its turn after the present batch.
	turn      *semaphore.Weighted
	impatient atomic.Int32
	// batch is the size of the next batch. Only the goroutine that has the turn uses it.
	batch int

	// counting is held while the vectors are counted or changed, and until status has the result.
	counting *semaphore.Weighted

	mu     sync.Mutex
	status QueueStatus
	// wakes counts the calls of Wake. countedWakes is the value of wakes when the passages were last counted.
	wakes, countedWakes int
	model               *usedModel
	// refused are the passages that the model cannot embed, with the reason.
	refused map[uuid.UUID]error
}

// Queue returns the queue of a tenant's collections.
func (x *Index) Queue(tenant *catalog.Tenant, collections ...catalog.Collection) *Queue {
	return &Queue{
		index: x, tenant: tenant, collections: collections, wake: make(chan struct{}, 1), onChange: func() {},
		turn: semaphore.NewWeighted(1), counting: semaphore.NewWeighted(1), batch: 1, wakes: 1, model: &usedModel{},
	}
}

// OnChange makes the queue call f after each change of its status, and returns it. f must not block.
func (q *Queue) OnChange(f func()) *Queue {
	q.onChange = f
	return q
}

// Wake makes the queue look for new passages.
func (q *Queue) Wake() {
	q.mu.Lock()
	q.wakes++
	q.mu.Unlock()
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

// LookForModel asks for the model without the database, so that the status says if it is missing.
func (q *Queue) LookForModel(ctx context.Context) {
	if _, err := q.index.embedder.EmbedModel(model.FailFast(ctx)); err != nil && ctx.Err() == nil {
		q.setErr(err)
	}
}

// Run keeps the queue empty until ctx ends.
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
				wait = max(wait, min(failure.RetryAfter, time.Minute)) // the server may serve sooner than it says
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

// rest waits until there may be something to embed. It returns after Wake. Each minute it checks
// whether the model has changed, or somebody uses this server: others may have left passages.
func (q *Queue) rest(ctx context.Context) {
	idle := queueIdle
	if q.currentModel().useless {
		idle = uselessIdle
	}
	for {
		select {
		case <-ctx.Done():
			return
		case <-q.wake:
			return
		case <-time.After(idle):
		}
		current, err := q.index.embedder.EmbedModel(ctx)
		if err != nil || current != q.currentModel().Model || !q.index.Idle() {
			return
		}
	}
}

// Drain embeds until every passage has a vector, except those that the model refuses. report,
// if not nil, is called with the number of passages with a vector, and of all passages.
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
	missing, err := q.count(ctx, used.id, false)
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
		// The passages are refused, or another server has embedded them since they were counted.
		if _, err := q.count(ctx, used.id, false); err != nil {
			return false, err
		}
		report()
	}
	if err := q.reportRefused(ctx); err != nil {
		return false, err
	}
	return true, q.tidy(ctx, used)
}

// next reads passages from the first collection that has some without a vector. missing
// says how many vectors each collection lacks.
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

// unembedded returns the tenant's most urgent passages without a vector, except those that the model refused. Nil
// paths mean all documents.
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

// outdated reports whether other passages may be more urgent than those that were read.
func (q *Queue) outdated(read time.Time) bool {
	if q.impatient.Load() > 0 {
		return true
	}
	if time.Since(read) < queueRefresh {
		return false
	}
	select {
	case <-q.wake:
		return true
	default:
		return false
	}
}

// tidy is called when everything is embedded. Once for each model it deletes the vectors of unused
// models, and merges the terms that a sync has added. It does so even if the model is not new: a
// server that has made most of its vectors may have been killed before this.
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
