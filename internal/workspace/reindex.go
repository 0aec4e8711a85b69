package workspace

import (
	"cmp"
	"context"
	"fmt"

	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/watch"
)

// ReindexResult counts the documents that were indexed again.
type ReindexResult struct {
	Tenant  rag.TenantKey
	Folders []ReindexedFolder
}

// ReindexedFolder is one of the project's folders, by its path in the repository.
type ReindexedFolder struct {
	Name string
	watch.SyncResult
}

// Reindex empties the index of the project that the server was started for, on its
// present branch, and embeds its documents again with the present model. report
// returns the function that is called with a folder's progress. After an error
// documents are missing from the index until the next activation or Reindex.
func (s *Workspace) Reindex(ctx context.Context, report func(folder string) func(done, total int)) (ReindexResult, error) {
	p, key, err := s.checkedOut(ctx, s.projectDir)
	if err != nil {
		return ReindexResult{}, err
	}
	tenant, err := s.library.Tenant(ctx, key, p.Root)
	if err != nil {
		return ReindexResult{}, fmt.Errorf("reindex: %w", err)
	}
	if err := s.library.Reset(ctx, tenant); err != nil {
		return ReindexResult{}, fmt.Errorf("reindex: %w", err)
	}
	reindexed := ReindexResult{Tenant: key}
	for _, tree := range newProject(s.library, s.searcher, p, tenant, 0, s.logger).trees {
		name := cmp.Or(tree.folder.Prefix, ".")
		synced, err := watch.Sync(ctx, tree.folder, tree.indexer, report(name))
		if err != nil {
			return ReindexResult{}, fmt.Errorf("reindex: %w", err)
		}
		reindexed.Folders = append(reindexed.Folders, ReindexedFolder{Name: name, SyncResult: synced})
	}
	return reindexed, nil
}
