package index

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/compound-docs/compound-docs/db"
	"github.com/compound-docs/compound-docs/rag/catalog"
)

// sweepBatch is how many passages one statement deletes. Indexers of the project wait some milliseconds for each batch.
const sweepBatch = 1_000

// KeepSwept removes text that no document of the tenant's project uses any more, until ctx ends. While one server of
// the project runs KeepSwept, no text stays unused for longer than the interval.
func (x *Index) KeepSwept(ctx context.Context, tenant *catalog.Tenant, interval time.Duration) {
	// Check several times per interval, because another server may have swept at any time.
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

// sweepIfDue sweeps a project and compacts the tables, unless a sweep of the project began within the interval.
func (x *Index) sweepIfDue(ctx context.Context, projectID int32, interval time.Duration) error {
	const margin = .8 // below 1, because the next check may come a tenth of the interval later
	_, err := transact(ctx, x.db.Write, "look for unused text", func(q *db.Queries) (int32, error) {
		return q.CleanupClaim(ctx, db.CleanupClaimParams{ProjectID: projectID, IntervalSeconds: margin * interval.Seconds()})
	})
	if err != nil {
		return ignoreNoRows(err)
	}
	swept, err := x.sweep(ctx, projectID)
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

func collections() []catalog.Collection {
	return []catalog.Collection{catalog.Compounding, catalog.External, catalog.Handbook}
}

// sweep removes the passages of a project that no document uses, and their vectors. It returns
// the number of passages removed. It may run beside any number of servers.
func (x *Index) sweep(ctx context.Context, projectID int32) (int, error) {
	versions, err := transact(ctx, x.db.Read, "read versions", func(q *db.Queries) (map[int32]int64, error) {
		return versionsOf(ctx, q, projectID)
	})
	if err != nil {
		return 0, err
	}
	swept := 0
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

// unused returns the hashes of the passages that no document uses. Documents of the removable tenants do not count.
func (x *Index) unused(
	ctx context.Context, projectID int32, collection catalog.Collection, removable []int32,
) ([]uuid.UUID, error) {
	return transact(ctx, x.db.ReadLong, "find unused passages", func(q *db.Queries) ([]uuid.UUID, error) {
		return q.CleanupUnusedPassages(ctx, db.CleanupUnusedPassagesParams{
			Collection: collection, ProjectID: projectID, Removable: removable,
		})
	})
}

// removeUnused deletes the passages that are still unused, and returns their number. versions has the version that each
// tenant had before the search for unused passages. Only a tenant with a newer version can use such a passage by now.
func (x *Index) removeUnused(
	ctx context.Context, projectID int32, collection catalog.Collection, hashes []uuid.UUID, versions map[int32]int64,
) (int, error) {
	deleted, err := transact(ctx, x.db.Write, "remove unused passages", func(q *db.Queries) ([]uuid.UUID, error) {
		if err := lockPassages(ctx, q, projectID); err != nil {
			return nil, err
		}
		changed, err := versionsOf(ctx, q, projectID)
		if err != nil {
			return nil, err
		}
		// New tenants count as changed: a new tenant has no entry in versions, and its version is at least 1.
		maps.DeleteFunc(changed, func(id int32, version int64) bool { return version == versions[id] })
		return q.CleanupDeletePassages(ctx, db.CleanupDeletePassagesParams{
			Collection: collection, ProjectID: projectID, Hashes: hashes, Changed: slices.Collect(maps.Keys(changed)),
		})
	})
	return len(deleted), err
}

func versionsOf(ctx context.Context, q *db.Queries, projectID int32) (map[int32]int64, error) {
	rows, err := q.CleanupTenantVersions(ctx, db.CleanupTenantVersionsParams{ProjectID: projectID})
	versions := make(map[int32]int64, len(rows))
	for _, row := range rows {
		versions[row.ID] = row.Version
	}
	return versions, err
}

// deletedVectors is how many vectors one statement deletes.
const deletedVectors = 10_000

// deleteUnusedVectors deletes the vectors of models that no tenant of the project uses any more.
func (x *Index) deleteUnusedVectors(ctx context.Context, projectID int32) error {
	for {
		deleted, err := transact(ctx, x.db.Write, "delete vectors of a former model", func(q *db.Queries) ([]uuid.UUID, error) {
			return q.EmbeddingDeleteUnused(ctx, db.EmbeddingDeleteUnusedParams{
				ProjectID: projectID, MaxEmbeddings: deletedVectors,
			})
		})
		if err != nil || len(deleted) < deletedVectors {
			return err
		}
	}
}
