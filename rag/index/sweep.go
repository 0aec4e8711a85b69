package index

import (
	"context"

	"github.com/google/uuid"

	"github.com/compound-docs/compound-docs/db"
	"github.com/compound-docs/compound-docs/rag"
)

// How many passages are looked for and deleted at a time. Indexers of the project wait
// while a batch is deleted, some milliseconds.
const (
	sweepFind  = 100_000
	sweepBatch = 1_000
)

// sweep removes the unused passages of one collection of a project.
type sweep struct {
	*cleanup

	projectID  int32
	collection rag.Collection
	grace      float64 // in seconds
	// versions are those of the project's tenants before passages were looked for. A
	// tenant with another version may have started to use one since.
	versions map[int32]int64
	swept    int
}

func (s *sweep) run(ctx context.Context) error {
	var last uuid.UUID
	for {
		hashes, err := s.unused(ctx, last)
		if err != nil {
			return err
		}
		for rest := hashes; len(rest) > 0; {
			batch := rest[:min(sweepBatch, len(rest))]
			rest = rest[len(batch):]
			swept, err := s.remove(ctx, batch)
			if err != nil {
				return err
			}
			s.swept += swept
		}
		if len(hashes) < sweepFind {
			return nil
		}
		last = hashes[len(hashes)-1]
	}
}

// unused returns the next passages that no document uses, in order.
func (s *sweep) unused(ctx context.Context, after uuid.UUID) (hashes []uuid.UUID, err error) {
	err = s.db.ReadLong(ctx, "find unused passages", func(q *db.Queries) error {
		hashes, err = q.CleanupUnusedPassages(ctx, db.CleanupUnusedPassagesParams{
			Collection: s.collection, ProjectID: s.projectID, After: after, Removable: s.removable[s.projectID], MaxPassages: sweepFind,
		})
		return err
	})
	return hashes, err
}

// remove deletes those of the passages that are still unused, and old enough.
func (s *sweep) remove(ctx context.Context, hashes []uuid.UUID) (removed int, err error) {
	if s.DryRun {
		err = s.db.Read(ctx, "count unused passages", func(q *db.Queries) error {
			count, err := q.CleanupCountPassages(ctx, db.CleanupCountPassagesParams{
				Collection: s.collection, ProjectID: s.projectID, Hashes: hashes, GraceSeconds: s.grace,
			})
			removed = int(count)
			return err
		})
		return removed, err
	}
	err = s.db.Write(ctx, "remove unused passages", func(q *db.Queries) error {
		if err := lockPassages(ctx, q, s.projectID); err != nil {
			return err
		}
		versions, err := versionsOf(ctx, q, s.projectID)
		if err != nil {
			return err
		}
		changed := make([]int32, 0, len(versions))
		for id, version := range versions {
			if before, known := s.versions[id]; !known || version != before {
				changed = append(changed, id)
			}
		}
		count, err := q.CleanupDeletePassages(ctx, db.CleanupDeletePassagesParams{
			Collection: s.collection, ProjectID: s.projectID, Hashes: hashes, GraceSeconds: s.grace, Changed: changed,
		})
		removed = int(count)
		return err
	})
	return removed, err
}
