package index

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/compound-docs/compound-docs/db"
	"github.com/compound-docs/compound-docs/rag/catalog"
)

// sweepBatch is how many passages are deleted at a time. Indexers of the project wait while a
// batch is deleted, some milliseconds.
const sweepBatch = 1_000

// KeepSwept removes text that no document of the tenant's project uses any more, until ctx ends.
// No such text is older than the interval while a server of the project runs this.
func (x *Index) KeepSwept(ctx context.Context, tenant *catalog.Tenant, interval time.Duration) {
	// The interval is divided, because nobody knows when the last server has swept.
	const parts = 10
	tick := time.NewTicker(max(interval/parts, time.Millisecond))
	defer tick.Stop()
	for {
		if err := x.sweepIfDue(ctx, tenant.ProjectID, interval); err != nil && ctx.Err() == nil {
			x.logger.WarnContext(ctx, "text that no document uses is not removed yet", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

func (x *Index) sweepIfDue(ctx context.Context, projectID int32, interval time.Duration) error {
	const margin = .8 // the next look may come a tenth of the interval later
	due, err := x.claimSweep(ctx, projectID, time.Duration(margin*float64(interval)))
	if err != nil || !due {
		return err
	}
	swept, err := x.Sweep(ctx, projectID)
	if err != nil || swept == 0 {
		return err
	}
	for _, collection := range collections() {
		if err := x.db.Compact(ctx, collection); err != nil {
			return err
		}
	}
	return nil
}

// claimSweep notes that unused text of the project is looked for, and reports false if that
// was done within the interval.
func (x *Index) claimSweep(ctx context.Context, projectID int32, interval time.Duration) (claimed bool, err error) {
	err = x.db.Write(ctx, "look for unused text", func(q *db.Queries) error {
		_, err := q.CleanupClaim(ctx, db.CleanupClaimParams{ProjectID: projectID, IntervalSeconds: interval.Seconds()})
		claimed = err == nil
		return exceptNoRows(err)
	})
	return claimed, err
}

func collections() []catalog.Collection {
	return []catalog.Collection{catalog.Compounding, catalog.External, catalog.Handbook}
}

// Sweep removes the passages of a project that no document uses, and their vectors. It may
// run beside any number of servers. It returns how many there were.
func (x *Index) Sweep(ctx context.Context, projectID int32) (swept int, err error) {
	var versions map[int32]int64
	err = x.db.Read(ctx, "read versions", func(q *db.Queries) error {
		versions, err = versionsOf(ctx, q, projectID)
		return err
	})
	if err != nil {
		return 0, err
	}
	for _, collection := range collections() {
		hashes, err := x.unused(ctx, projectID, collection, nil)
		if err != nil {
			return swept, err
		}
		for batch := range slices.Chunk(hashes, sweepBatch) {
			removed, err := x.removeUnused(ctx, projectID, collection, batch, versions)
			if err != nil {
				return swept, err
			}
			swept += removed
		}
	}
	if swept > 0 {
		x.logger.DebugContext(ctx, "removed text that no document uses", "passages", swept)
	}
	return swept, nil
}

// unused returns the passages that no document uses except those of removable tenants.
func (x *Index) unused(
	ctx context.Context, projectID int32, collection catalog.Collection, removable []int32,
) (hashes []uuid.UUID, err error) {
	err = x.db.ReadLong(ctx, "find unused passages", func(q *db.Queries) error {
		hashes, err = q.CleanupUnusedPassages(ctx, db.CleanupUnusedPassagesParams{
			Collection: collection, ProjectID: projectID, Removable: removable,
		})
		return err
	})
	return hashes, err
}

// removeUnused deletes the passages that are still unused. versions are the tenants' versions before the
// search for unused passages: a tenant with another version may have started to use one since.
func (x *Index) removeUnused(
	ctx context.Context, projectID int32, collection catalog.Collection, hashes []uuid.UUID, versions map[int32]int64,
) (removed int, err error) {
	err = x.db.Write(ctx, "remove unused passages", func(q *db.Queries) error {
		if err := lockPassages(ctx, q, projectID); err != nil {
			return err
		}
		now, err := versionsOf(ctx, q, projectID)
		if err != nil {
			return err
		}
		changed := make([]int32, 0, len(now))
		for id, version := range now {
			if before, known := versions[id]; !known || version != before {
				changed = append(changed, id)
			}
		}
		deleted, err := q.CleanupDeletePassages(ctx, db.CleanupDeletePassagesParams{
			Collection: collection, ProjectID: projectID, Hashes: hashes, Changed: changed,
		})
		removed = len(deleted)
		return err
	})
	return removed, err
}

// versionsOf returns the version of each tenant of the project.
func versionsOf(ctx context.Context, q *db.Queries, projectID int32) (map[int32]int64, error) {
	rows, err := q.CleanupTenantVersions(ctx, db.CleanupTenantVersionsParams{ProjectID: projectID})
	versions := make(map[int32]int64, len(rows))
	for _, row := range rows {
		versions[row.ID] = row.Version
	}
	return versions, err
}
