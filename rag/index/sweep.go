package index

import (
	"context"
	"slices"

	"github.com/compound-docs/compound-docs/rag/catalog"

	"github.com/google/uuid"

	"github.com/compound-docs/compound-docs/db"
)

// How many passages are looked for and deleted at a time. Indexers of the project wait
// while a batch is deleted, some milliseconds.
const (
	sweepFind  = 100_000
	sweepBatch = 1_000
)

// sweep removes the unused passages of a project, and their vectors with them.
type sweep struct {
	db        *db.Database
	projectID int32
	// versions are those of the project's tenants before passages were looked for. A
	// tenant with another version may have started to use one since.
	versions map[int32]int64
	// removable are tenants whose use of a passage does not count.
	removable []int32
	dryRun    bool
}

func collections() []catalog.Collection {
	return []catalog.Collection{catalog.Compounding, catalog.External, catalog.Handbook}
}

// Sweep removes the passages of a project that no document uses, and their vectors. It may
// run beside any number of servers. It returns how many there were.
func (x *Index) Sweep(ctx context.Context, projectID int32) (swept int, err error) {
	versions, err := x.versions(ctx, projectID)
	if err != nil {
		return 0, err
	}
	swept, err = (&sweep{db: x.db, projectID: projectID, versions: versions}).run(ctx)
	if swept > 0 {
		x.logger.DebugContext(ctx, "removed text that no document uses", "passages", swept)
	}
	return swept, err
}

func (s *sweep) run(ctx context.Context) (swept int, err error) {
	for _, collection := range collections() {
		inCollection, err := s.collection(ctx, collection)
		swept += inCollection
		if err != nil {
			return swept, err
		}
	}
	return swept, nil
}

func (s *sweep) collection(ctx context.Context, collection catalog.Collection) (swept int, err error) {
	var last uuid.UUID
	for {
		hashes, err := s.unused(ctx, collection, last)
		if err != nil {
			return swept, err
		}
		for batch := range slices.Chunk(hashes, sweepBatch) {
			removed, err := s.remove(ctx, collection, batch)
			if err != nil {
				return swept, err
			}
			swept += removed
		}
		if len(hashes) < sweepFind {
			return swept, nil
		}
		last = hashes[len(hashes)-1]
	}
}

// unused returns the next passages that no document uses, in order.
func (s *sweep) unused(ctx context.Context, collection catalog.Collection, after uuid.UUID) (hashes []uuid.UUID, err error) {
	err = s.db.ReadLong(ctx, "find unused passages", func(q *db.Queries) error {
		hashes, err = q.CleanupUnusedPassages(ctx, db.CleanupUnusedPassagesParams{
			Collection: collection, ProjectID: s.projectID, After: after, Removable: s.removable, MaxPassages: sweepFind,
		})
		return err
	})
	return hashes, err
}

// remove deletes those of the passages that are still unused.
func (s *sweep) remove(ctx context.Context, collection catalog.Collection, hashes []uuid.UUID) (removed int, err error) {
	if s.dryRun {
		return len(hashes), nil
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
			Collection: collection, ProjectID: s.projectID, Hashes: hashes, Changed: changed,
		})
		removed = int(count)
		return err
	})
	return removed, err
}
