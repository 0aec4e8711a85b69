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

// QueueStatus says how many passages a queue must still embed.
type QueueStatus struct {
	// Missing counts the passages without a vector, and Chunks all passages.
	Missing, Chunks int
	// Counting says that there may be new passages, so that both numbers are out of date.
	Counting bool
	// Failed are the documents with a passage that the model refuses, sorted by path.
	Failed []document.Failure
	// FailedSince is approximately when the model first refused a passage of the documents in Failed.
	FailedSince time.Time
	// Err is the failure after which the queue waits before it tries again, nil without one.
	Err error
}

// Status returns the state of the queue. Missing is at least 1 while Counting is set, because passages may be missing. It
// is also at least 1 until the model is measured, because hybrid searches use no vectors before that.
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

// Count counts the passages again if there may be new ones. It needs no model server. If the queue does not know the
// present model yet, Count looks for vectors of the model that last embedded the tenant.
func (q *Queue) Count(ctx context.Context) error {
	if !q.Status().Counting {
		return nil
	}
	var err error
	id := q.currentModel().id
	switch {
	case id != 0:
	case q.tenant.ModelID != nil:
		id = *q.tenant.ModelID
	default:
		id, err = db.ReadOne(ctx, q.index.db, "find the model of the tenant", (*db.Queries).TenantEmbeddingModel,
			db.TenantEmbeddingModelParams{ProjectID: q.tenant.ProjectID, ID: q.tenant.ID})
	}
	if err != nil {
		return err
	}
	_, err = q.count(ctx, id)
	return err
}

// count puts the numbers of passages and of missing vectors of a model into the status. It returns how many vectors
// each collection lacks, in the order of q.collections.
func (q *Queue) count(ctx context.Context, modelID int32) ([]int64, error) {
	if err := q.counting.Acquire(ctx, 1); err != nil {
		return nil, err //nolint:wrapcheck // the caller knows why
	}
	defer q.counting.Release(1)
	q.mu.Lock()
	wakes := q.wakes
	q.mu.Unlock()
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

// reportRefused puts into the status which documents have passages that the model refused.
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
