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
	"github.com/compound-docs/compound-docs/internal/document"
	"github.com/compound-docs/compound-docs/internal/panics"
	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/rag/ollama"
)

const (
	// queueFetch is how many passages are read from the queue at a time.
	queueFetch = 2000
	// queueRefresh is how long they are worked on, at least, before those that have
	// come to be more urgent are looked for.
	queueRefresh = 2 * time.Second
	// queueIdle is how often an empty queue is looked at: the model may have been
	// replaced.
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
	tenant      *rag.Tenant
	collections []rag.Collection // the first is embedded first
	// wake holds a token when there may be new passages.
	wake   chan struct{}
	growth growth

	mu       sync.Mutex
	onChange func()
	status   QueueStatus
	// wakes counts the calls of Wake, and counted those that status takes into account.
	wakes, counted int
	asked          []uuid.UUID
	model          usedModel
	// swept is the model since whose last vector those of others were deleted.
	swept int32
	// refused are the passages that the model cannot embed, with the reason.
	refused map[uuid.UUID]error
}

// QueueStatus is how much there is to embed.
type QueueStatus struct {
	// Missing of Chunks parts of documents have no vector yet.
	Missing, Chunks int
	// Failed are the documents that have a passage which the model refuses, sorted by
	// path.
	Failed []document.Failure
	// FailedSince is when the first of them was refused.
	FailedSince time.Time
	// Err is why embedding waits; nil while it does not.
	Err error
}

// Queue returns the queue of a tenant's collections.
func (x *Index) Queue(tenant *rag.Tenant, collections ...rag.Collection) *Queue {
	return &Queue{
		index: x, tenant: tenant, collections: collections, wake: make(chan struct{}, 1), onChange: func() {}, wakes: 1,
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
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

// Prefer puts passages in front of all but promoted ones.
func (q *Queue) Prefer(hashes []uuid.UUID) {
	q.mu.Lock()
	q.asked = append(q.asked, hashes...)
	q.asked = q.asked[max(0, len(q.asked)-maxAsked):]
	q.mu.Unlock()
	q.Wake()
}

// Status returns how much there is to embed. What has not been counted yet counts as
// one passage at least.
func (q *Queue) Status() QueueStatus {
	q.mu.Lock()
	defer q.mu.Unlock()
	status := q.status
	if q.wakes != q.counted {
		status.Missing = max(1, status.Missing)
		status.Chunks = max(status.Chunks, status.Missing)
	}
	return status
}

func (q *Queue) update(change func(*QueueStatus)) {
	q.mu.Lock()
	change(&q.status)
	q.mu.Unlock()
	q.onChange()
}

func (q *Queue) setErr(err error) {
	q.update(func(s *QueueStatus) { s.Err = err })
}

// Run keeps the queue empty until ctx ends.
func (q *Queue) Run(ctx context.Context) {
	retry := backoff.NewExponentialBackOff()
	retry.InitialInterval, retry.MaxInterval = firstRetry, lastRetry
	for {
		err := panics.Catch(func() error { return q.Drain(ollama.OnRetry(ctx, q.setErr), nil) })
		if ctx.Err() != nil {
			return
		}
		wait, wake := queueIdle, q.wake
		if err != nil {
			q.index.logger.WarnContext(ctx, "embedding waits", "error", err)
			wait, wake = retry.NextBackOff(), nil
		} else {
			retry.Reset()
		}
		q.setErr(err)
		select {
		case <-ctx.Done():
			return
		case <-wake:
		case <-time.After(wait):
		}
	}
}

// Drain embeds until nothing is missing but what the model refuses. report, if not
// nil, is called with the number of parts of documents that have a vector, and of all.
func (q *Queue) Drain(ctx context.Context, report func(done, total int)) error {
	for {
		model, err := q.useModel(ctx)
		if err != nil {
			return err
		}
		err = q.drain(ctx, model, func() {
			if status := q.Status(); report != nil {
				report(status.Chunks-status.Missing, status.Chunks)
			}
		})
		if errors.Is(err, errModelReplaced) {
			continue
		}
		if err != nil {
			return err
		}
		return q.sweep(ctx, model)
	}
}

// sweep tidies up once everything is embedded, for each model: it deletes the vectors
// of models that are no longer used, and merges the terms that a sync has added. That
// the model is new does not matter: a server that has made most of its vectors may have
// been killed before this.
func (q *Queue) sweep(ctx context.Context, model usedModel) error {
	q.mu.Lock()
	swept := q.swept == model.id
	q.mu.Unlock()
	if swept {
		return nil
	}
	if err := q.index.deleteUnusedVectors(ctx, q.tenant.ProjectID, q.collections); err != nil {
		return err
	}
	for _, collection := range q.collections {
		if err := q.index.db.MergeTerms(ctx, collection); err != nil {
			return err
		}
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.swept = model.id
	return nil
}

func (q *Queue) drain(ctx context.Context, model usedModel, report func()) error {
	for {
		if err := q.count(ctx, model.id); err != nil {
			return err
		}
		report()
		collection, passages, err := q.next(ctx, model)
		if err != nil {
			return err
		}
		if len(passages) == 0 {
			return q.reportRefused(ctx)
		}
		if err := q.embed(ctx, model, collection, passages, report); err != nil {
			return err
		}
	}
}

// Count brings the status up to date if there may be new passages. It does not need
// Ollama: where the present model is not known, it counts what the last one has
// not embedded.
func (q *Queue) Count(ctx context.Context) error {
	q.mu.Lock()
	counted, id := q.wakes == q.counted, q.model.id
	q.mu.Unlock()
	if counted {
		return nil
	}
	if id == 0 {
		err := q.index.db.Read(ctx, "find the model of the tenant", func(queries *db.Queries) (err error) {
			id, err = queries.TenantEmbeddingModel(ctx, db.TenantEmbeddingModelParams{ProjectID: q.tenant.ProjectID, ID: q.tenant.ID})
			return err
		})
		if err != nil {
			return err
		}
	}
	return q.count(ctx, id)
}

// count brings the numbers of the status up to date with the vectors of a model.
func (q *Queue) count(ctx context.Context, modelID int32) error {
	q.mu.Lock()
	wakes := q.wakes
	q.mu.Unlock()
	var chunks, missing int64
	err := q.index.db.Read(ctx, "count passages to embed", func(queries *db.Queries) error {
		chunks, missing = 0, 0
		for _, collection := range q.collections {
			row, err := queries.EmbeddingProgress(ctx, db.EmbeddingProgressParams{
				ProjectID: q.tenant.ProjectID, TenantID: q.tenant.ID, Collection: collection, ModelID: modelID,
			})
			if err != nil {
				return err
			}
			chunks, missing = chunks+row.Chunks, missing+row.Missing
		}
		return nil
	})
	if err != nil {
		return err
	}
	if missing == chunks {
		q.growth.begin(true)
	}
	q.update(func(s *QueueStatus) {
		q.counted = wakes
		s.Chunks, s.Missing = int(chunks), int(missing)
	})
	return nil
}

// next returns the most urgent passages, which are all of one collection.
func (q *Queue) next(ctx context.Context, model usedModel) (collection rag.Collection, passages []unembedded, err error) {
	q.mu.Lock()
	asked := q.asked
	skipped := slices.Collect(maps.Keys(q.refused))
	q.mu.Unlock()
	err = q.index.db.Read(ctx, "read the queue of passages to embed", func(queries *db.Queries) error {
		for _, collection = range q.collections {
			passages, err = queries.EmbeddingQueue(ctx, db.EmbeddingQueueParams{
				ProjectID: q.tenant.ProjectID, TenantID: q.tenant.ID, Collection: collection, ModelID: model.id,
				Asked: asked, Skipped: skipped, MaxPassages: queueFetch,
			})
			if err != nil || len(passages) > 0 {
				return err
			}
		}
		return nil
	})
	return collection, passages, err
}

// reportRefused puts the documents with refused passages into the status.
func (q *Queue) reportRefused(ctx context.Context) error {
	q.mu.Lock()
	reasons := maps.Clone(q.refused)
	q.mu.Unlock()
	var failed []document.Failure
	if len(reasons) > 0 {
		var err error
		if failed, err = q.index.failures(ctx, q.tenant, q.collections, reasons); err != nil {
			return err
		}
	}
	q.update(func(s *QueueStatus) {
		if s.Failed = failed; s.FailedSince.IsZero() || len(failed) == 0 {
			s.FailedSince = time.Now()
		}
	})
	return nil
}
