package workspace

import (
	"cmp"
	"context"
	"fmt"

	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/watch"
)

// ReindexResult is what came back into an emptied index.
type ReindexResult struct {
	Tenant  rag.TenantKey
	Folders []ReindexedFolder
}

// ReindexedFolder is one of the project's folders, by its path in the repository.
type ReindexedFolder struct {
	Name string
	watch.SyncResult
}

// Reindex empties the index of the project that the session was made for, as it
// is checked out, and embeds its documents anew with the present model. report
// returns what is told how far a folder has come. After an error the index lacks
// documents; the next activation, or Reindex, brings them.
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
