package index

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/compound-docs/compound-docs/db"
	"github.com/compound-docs/compound-docs/internal/document"
)

// QueueStatus is how much there is to embed.
type QueueStatus struct {
	// Missing of Chunks parts of documents have no vector yet.
	Missing, Chunks int
	// Counting says that both are old: there may be new passages.
	Counting bool
	// Failed are the documents with a passage that the model refuses, sorted by path.
	Failed []document.Failure
	// FailedSince is when the first of them was refused.
	FailedSince time.Time
	// Err is why embedding waits; nil while it does not.
	Err error
}

// Status returns how many passages wait for a vector. It is at least one before the first count, and until the model
// is measured, since no search uses the vectors before.
func (q *Queue) Status() QueueStatus {
	q.mu.Lock()
	defer q.mu.Unlock()
	status := q.status
	status.Counting = q.countedWakes != q.wakes
	isUnmeasured := status.Chunks > 0 && q.model.id != 0 && !q.model.calibrated
	if status.Counting || isUnmeasured {
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

// Count brings the status up to date if there may be new passages. It does not need Ollama: without
// a known model, it counts the passages without a vector of the last one.
func (q *Queue) Count(ctx context.Context) error {
	if !q.Status().Counting {
		return nil
	}
	id, err := q.lastModel(ctx)
	if err != nil {
		return err
	}
	_, err = q.count(ctx, id, true)
	return err
}

// lastModel returns the model that makes the tenant's vectors, or has made the last ones, as far as is known
// without Ollama.
func (q *Queue) lastModel(ctx context.Context) (int32, error) {
	if id := q.currentModel().id; id != 0 {
		return id, nil
	}
	if q.tenant.ModelID != nil {
		return *q.tenant.ModelID, nil
	}
	return db.ReadOne(ctx, q.index.db, "find the model of the tenant", (*db.Queries).TenantEmbeddingModel,
		db.TenantEmbeddingModelParams{ProjectID: q.tenant.ProjectID, ID: q.tenant.ID})
}

// count brings the numbers of the status up to date with the vectors of a model. It returns how many are
// missing in each collection. With ifStale it does nothing if another goroutine has just counted.
func (q *Queue) count(ctx context.Context, modelID int32, ifStale bool) ([]int64, error) {
	if err := q.counting.Acquire(ctx, 1); err != nil {
		return nil, err //nolint:wrapcheck // the caller knows why
	}
	defer q.counting.Release(1)
	q.mu.Lock()
	wakes, isStale := q.wakes, q.countedWakes != q.wakes
	q.mu.Unlock()
	if ifStale && !isStale {
		return nil, nil
	}
	rows, err := db.ReadOne(ctx, q.index.db, "count passages to embed", (*db.Queries).EmbeddingProgress,
		db.EmbeddingProgressParams{
			ProjectID: q.tenant.ProjectID, TenantID: q.tenant.ID, Collections: q.collections, ModelID: modelID,
		})
	if err != nil {
		return nil, err
	}
	var chunks, total int64
	var missing []int64
	for _, row := range rows {
		chunks, total = chunks+row.Chunks, total+row.Missing
		missing = append(missing, row.Missing)
	}
	q.update(func(s *QueueStatus) {
		q.countedWakes = wakes
		s.Chunks, s.Missing = int(chunks), int(total)
	})
	return missing, nil
}

// reportRefused puts the documents with refused passages into the status.
func (q *Queue) reportRefused(ctx context.Context) error {
	q.mu.Lock()
	reasons := maps.Clone(q.refused)
	q.mu.Unlock()
	var failed []document.Failure
	if len(reasons) > 0 {
		rows, err := db.ReadOne(ctx, q.index.db, "find passages", (*db.Queries).ChunkPlaces, db.ChunkPlacesParams{
			ProjectID: q.tenant.ProjectID, TenantID: q.tenant.ID, Hashes: slices.Collect(maps.Keys(reasons)),
		})
		if err != nil {
			return err
		}
		for _, row := range rows {
			failed = append(failed, document.Failure{Path: row.RelativePath, Err: fmt.Errorf(
				"lines %d to %d are found by words and built-in vectors: %w", row.StartLine, row.EndLine, reasons[row.PassageHash])})
		}
	}
	q.update(func(s *QueueStatus) {
		s.Failed = failed
		if s.FailedSince.IsZero() || len(failed) == 0 {
			s.FailedSince = time.Now()
		}
	})
	return nil
}
