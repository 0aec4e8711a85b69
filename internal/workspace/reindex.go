package workspace

import (
	"cmp"
	"context"
	"fmt"

	"github.com/compound-docs/compound-docs/rag/catalog"

	"github.com/compound-docs/compound-docs/watch"
)

// ReindexResult counts the documents that were indexed again.
type ReindexResult struct {
	Tenant  catalog.TenantKey
	Folders []ReindexedFolder
}

// ReindexedFolder is one of the project's folders, by its path in the repository.
type ReindexedFolder struct {
	Name string
	watch.SyncResult
}

// Reindex indexes every document of the project that the server was started for again, on
// its present branch. What the index has of a document stays until it is replaced, in one
// transaction. report returns the function that is called with the progress of a folder,
// and of the passages that are embedded then. After an error some documents are indexed
// again, and vectors may be missing until the next activation or Reindex.
func (w *Workspace) Reindex(ctx context.Context, report func(folder string) func(done, total int)) (ReindexResult, error) {
	p, key, err := w.checkedOut(ctx, w.ownDir())
	if err != nil {
		return ReindexResult{}, err
	}
	tenant, err := w.index.Tenant(ctx, key, p.Root)
	if err != nil {
		return ReindexResult{}, fmt.Errorf("reindex: %w", err)
	}
	reindexed := ReindexResult{Tenant: key}
	fresh := newProject(w.index, p, tenant, w.settings, w.logger)
	for _, tree := range fresh.trees {
		name := cmp.Or(tree.folder.Prefix, ".")
		tree.indexer.Again = true
		synced, err := watch.Sync(ctx, tree.folder, tree.indexer, report(name))
		if err != nil {
			return ReindexResult{}, fmt.Errorf("reindex: %w", err)
		}
		reindexed.Folders = append(reindexed.Folders, ReindexedFolder{Name: name, SyncResult: synced})
	}
	if err := fresh.dropFormerExternal(ctx); err != nil {
		return ReindexResult{}, fmt.Errorf("reindex: %w", err)
	}
	if err := fresh.queue.Drain(ctx, report("passages")); err != nil {
		return ReindexResult{}, fmt.Errorf(
			"reindex: the documents are found by their words again, and their vectors are missing: %w", err)
	}
	return reindexed, nil
}
