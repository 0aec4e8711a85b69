package index

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/google/uuid"

	"github.com/compound-docs/compound-docs/db"
	"github.com/compound-docs/compound-docs/internal/panics"
	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/rag/model"
)

const (
	// queueFetch is how long the passages that are read from the queue at a time take to
	// embed, and maxQueueFetch how many they are at most.
	queueFetch    = 10 * time.Second
	maxQueueFetch = 2000
	// queueRefresh is how long they are worked on, at least, before those that have
	// come to be more urgent are looked for. A long queue takes long to read: they are
	// worked on queueReadCost times as long.
	queueRefresh  = 2 * time.Second
	queueReadCost = 50
	// queueIdle is how often it is looked whether an empty queue has filled: the model may
	// have been replaced.
	queueIdle = time.Minute
	// maxAsked bounds the passages that are remembered as asked for.
	maxAsked = 1000
)

// How long a queue waits after a failure.
const (
	firstRetry = 500 * time.Millisecond
	lastRetry  = 15 * time.Second
)

// Queue embeds the passages of a tenant's documents that the present model has not
// embedded. Which these are is in the database alone, so that no crash and no change
// of the model loses one. Safe for concurrent use.
type Queue struct {
	index       *Index
	tenant      *catalog.Tenant
	collections []catalog.Collection // the first is embedded first
	// wake holds a token when there may be new passages.
	wake   chan struct{}
	growth growth

	// counting is held from a look at the vectors, or a change of them, until status
	// says what came of it.
	counting sync.Mutex

	mu       sync.Mutex
	onChange func()
	status   QueueStatus
	// wakes counts the calls of Wake, and counted those that status takes into account.
	wakes, counted int
	asked          []uuid.UUID
	model          *usedModel
	// refused are the passages that the model cannot embed, with the reason.
	refused map[uuid.UUID]error
}

// Queue returns the queue of a tenant's collections.
func (x *Index) Queue(tenant *catalog.Tenant, collections ...catalog.Collection) *Queue {
	return &Queue{
		index: x, tenant: tenant, collections: collections, wake: make(chan struct{}, 1), onChange: func() {}, wakes: 1,
		model: &usedModel{},
	}
}

// OnChange makes the queue call f after each change of its status, and returns it. f
// must not block.
func (q *Queue) OnChange(f func()) *Queue {
	q.onChange = f
	return q
}

// Wake makes the queue look for new passages.
func (q *Queue) Wake() {
	q.mu.Lock()
	q.wakes++
	q.mu.Unlock()
	q.look()
}

// look ends the wait of Run.
func (q *Queue) look() {
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

// Prefer puts passages in front of all but promoted ones. The caller need not know whether
// they have a vector: where none is missing but what the model refuses, nothing is done.
func (q *Queue) Prefer(hashes []uuid.UUID) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.counted == q.wakes && q.status.Missing <= len(q.refused) {
		return
	}
	q.asked = append(q.asked, hashes...)
	q.asked = q.asked[max(0, len(q.asked)-maxAsked):]
	q.look()
}

// LookForModel asks for the model, and nothing of the database, so that the status says if
// there is none.
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
		if err == nil {
			retry.Reset()
			q.rest(ctx)
			continue
		}
		q.index.logger.WarnContext(ctx, "embedding waits", "error", err)
		select {
		case <-ctx.Done():
			return
		case <-time.After(retry.NextBackOff()):
		}
	}
}

// rest waits until there may be something to embed: new passages, another model, or, while
// somebody uses this server, a minute has passed, in which others may have left some.
func (q *Queue) rest(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-q.wake:
			return
		case <-time.After(queueIdle):
		}
		model, err := q.index.embedder.EmbedModel(ctx)
		q.mu.Lock()
		same := err == nil && model == q.model.Model
		q.mu.Unlock()
		if !same || !q.index.Idle() {
			return
		}
	}
}

// Drain embeds until nothing is missing but what the model refuses. report, if not
// nil, is called with the number of parts of documents that have a vector, and of all
// texts that are to have one.
func (q *Queue) Drain(ctx context.Context, report func(done, total int)) error {
	for {
		used, err := q.useModel(ctx)
		if err != nil {
			return err
		}
		err = q.drain(ctx, used, func() {
			if status := q.Status(); report != nil {
				report(status.Chunks-status.Missing, status.Chunks+status.Measuring)
			}
		})
		if errors.Is(err, model.ErrModelReplaced) {
			continue
		}
		if err != nil {
			return err
		}
		return q.tidy(ctx, used)
	}
}

// tidy is called once everything is embedded. Once for each model it deletes the vectors
// of models that are no longer used, and merges the terms that a sync has added. That
// the model is new does not matter: a server that has made most of its vectors may have
// been killed before this.
func (q *Queue) tidy(ctx context.Context, model *usedModel) error {
	if model.tidied.Load() {
		return nil
	}
	err := q.index.deleteUnusedVectors(ctx, q.tenant.ProjectID)
	if err == nil {
		err = q.index.db.MergeTerms(ctx, q.collections...)
	}
	model.tidied.Store(err == nil)
	return err
}

func (q *Queue) drain(ctx context.Context, model *usedModel, report func()) error {
	for {
		missing, err := q.count(ctx, model.id)
		if err != nil {
			return err
		}
		report()
		if q.Status().Chunks > 0 {
			if err := q.calibrate(ctx, model); err != nil {
				return err
			}
		}
		front, err := q.next(ctx, model, missing)
		if err != nil {
			return err
		}
		if len(front.passages) == 0 {
			if slices.ContainsFunc(missing, func(n int64) bool { return n > 0 }) {
				// They are refused, or another server has embedded them since they were counted.
				if _, err := q.count(ctx, model.id); err != nil {
					return err
				}
				report()
			}
			return q.reportRefused(ctx)
		}
		if err := q.embed(ctx, model, front, report); err != nil {
			return err
		}
	}
}

// front is the most urgent passages of a queue, which are all of one collection.
type front struct {
	collection catalog.Collection
	passages   []unembedded
	// refresh is how long they are worked on before others may be more urgent.
	refresh time.Duration
}

// next reads the queue. missing says how many vectors each collection lacks.
func (q *Queue) next(ctx context.Context, model *usedModel, missing []int64) (f front, err error) {
	q.mu.Lock()
	asked := q.asked
	q.mu.Unlock()
	began := time.Now()
	for i := 0; i < len(missing) && err == nil && len(f.passages) == 0; i++ {
		if missing[i] == 0 {
			continue
		}
		f.collection = q.collections[i]
		f.passages, err = q.read(ctx, db.EmbeddingQueueParams{
			Collection: f.collection, ModelID: model.id, Asked: asked,
			MaxPassages: q.index.pace.passages(queueFetch, maxQueueFetch),
		})
	}
	f.refresh = max(queueRefresh, queueReadCost*time.Since(began))
	if err == nil && len(f.passages) == 0 {
		q.mu.Lock()
		q.asked = nil
		q.mu.Unlock()
	}
	return f, err
}

// read reads passages of the tenant that have no vector, and leaves out those that the model
// refuses.
func (q *Queue) read(ctx context.Context, params db.EmbeddingQueueParams) ([]unembedded, error) {
	params.ProjectID, params.TenantID = q.tenant.ProjectID, q.tenant.ID
	q.mu.Lock()
	params.Skipped = slices.Collect(maps.Keys(q.refused))
	q.mu.Unlock()
	return db.ReadOne(ctx, q.index.db, "read the queue of passages to embed", (*db.Queries).EmbeddingQueue, params)
}
