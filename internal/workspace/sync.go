package workspace

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/compound-docs/compound-docs/internal/document"
	"github.com/compound-docs/compound-docs/rag/apierror"
	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/watch"
)

// vectorPatience is how long [Workspace.Sync] waits for the next vector of who indexes the
// project.
const vectorPatience = 10 * time.Second

// Sync activates the project that the workspace was made for, and waits until its index
// holds all its documents with their vectors. progress, if not nil, is called with every
// status until then. If a service that is needed does not answer, the error says so, and
// the project is active all the same. Documents that cannot be indexed are no error: the
// project's status lists them.
func (w *Workspace) Sync(ctx context.Context, progress func(Status)) (*Project, error) {
	active := w.current()
	if active == nil || active.moved() {
		var err error
		if active, err = w.refresh(ctx, active); err != nil {
			return nil, err
		}
	}
	active.WaitSynced(ctx, progress)
	if status := active.Status(ctx); !status.hasText() {
		if ctx.Err() != nil {
			return active, context.Cause(ctx)
		}
		return active, apierror.Errorf(apierror.InternalError,
			"%d changed files are not in the index yet: %s", status.Pending(), status.Waiting)
	}
	if err := active.syncUnnoticed(ctx); err != nil {
		return active, err
	}
	return active, active.embedAll(ctx, progress)
}

// syncUnnoticed indexes what another process, which indexes the project, has not noticed
// yet: a file that was saved a moment ago.
func (p *Project) syncUnnoticed(ctx context.Context) error {
	p.mu.Lock()
	leading := p.leading
	p.mu.Unlock()
	if leading {
		return nil
	}
	_, err := p.syncOnce(ctx, func(int, int) {})
	return err
}

// syncOnce makes the index hold what all folders hold. report is called with the number of
// changed files that have been handled, and of all that were met so far.
func (p *Project) syncOnce(ctx context.Context, report func(done, total int)) (failed []document.Failure, err error) {
	if err := p.ready(); err != nil {
		return nil, err
	}
	handled := 0
	for _, tree := range p.trees {
		before := handled
		result, err := watch.Sync(ctx, tree.folder, tree.indexer, func(done, total int) {
			handled = before + total
			report(before+done, handled)
		})
		failed = append(failed, result.Failed...)
		if err != nil {
			return failed, err
		}
	}
	return failed, nil
}

// embedAll waits as long as vectors are made, since what another process embeds must not be
// embedded here too. Then it embeds what still has no vector of the model that Ollama has
// now: what syncUnnoticed has indexed, or everything if the model was replaced. Who indexes
// the project finds out later.
func (p *Project) embedAll(ctx context.Context, progress func(Status)) error {
	if progress == nil {
		progress = func(Status) {}
	}
	missing, since := -1, time.Now()
	p.until(ctx, func() bool {
		status := p.Status(ctx)
		progress(status)
		if status.Embedding != missing {
			missing, since = status.Embedding, time.Now()
		}
		return missing == 0 || status.EmbeddingWaits != "" || time.Since(since) > vectorPatience
	})
	err := p.queue.Drain(ctx, func(done, total int) {
		progress(Status{Embedding: total - done, Passages: total})
	})
	left := p.queue.Status()
	reason := "the model refuses their text"
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case left.Missing == 0:
		return err
	case err != nil:
		reason = apierror.AsError(err).Error()
	}
	return apierror.Errorf(apierror.EmbeddingServiceError,
		"the documents are found by their words, and %d of %d passages have no vector yet: %s; run it again to go on",
		left.Missing, left.Chunks, reason)
}

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
