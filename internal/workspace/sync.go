package workspace

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/compound-docs/compound-docs/internal/document"
	"github.com/compound-docs/compound-docs/rag/apierror"
	"github.com/compound-docs/compound-docs/watch"
)

// maxVectorTime is how long [Workspace.Sync] waits for another server's next vector.
const maxVectorTime = 10 * time.Second

// Sync activates the project of the workspace, and waits until its index holds all documents with their vectors. If
// another branch is checked out in the meantime, Sync continues with that branch. It calls progress with every status.
// If a service fails, Sync returns the active project with the error. A document that cannot be indexed is no error:
// the project's status lists the document.
func (w *Workspace) Sync(ctx context.Context, progress func(IndexStatus)) (*Project, error) {
	for {
		active, err := w.current(), error(nil)
		if active == nil || active.moved() {
			active, err = w.refresh(ctx, active)
		}
		if err != nil {
			return nil, err
		}
		err = active.complete(ctx, progress)
		active.lookAgain(ctx) // a failover of the database can lose writes
		present := active.life.Err() == nil && !active.moved()
		if w.life.Err() != nil || ctx.Err() != nil || present && (err != nil || active.Status().hasText()) {
			return active, err
		}
	}
}

// complete waits until the index holds all documents with their vectors.
func (p *Project) complete(ctx context.Context, progress func(IndexStatus)) error {
	if status := p.WaitSynced(ctx, progress); !status.hasText() && !status.unnoticed {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return apierror.Errorf(apierror.InternalError,
			"%d changed files are not in the index yet: %s", status.Pending(), status.Waiting)
	}
	// The server that indexes may not have noticed a file that was saved a moment ago.
	if latest := p.latest.Load(); !latest.leading {
		if _, err := p.syncOnce(ctx, nil); err != nil {
			return err
		}
	}
	return p.embedAll(ctx, progress)
}

// syncAtOnce indexes the text of changed files, for at most syncWait. It takes no lease: another server may index too.
func (p *Project) syncAtOnce(ctx context.Context) {
	limited, end := context.WithTimeout(ctx, syncWait)
	defer end()
	status := IndexStatus{Synced: time.Now(), Failed: []Failed{}}
	failures, err := p.syncOnce(limited, func(done, total int) { status.Done, status.Total = done, total })
	for _, failed := range failures {
		status = status.plusFailed(failed, status.Synced)
	}
	if err != nil {
		status.Waiting = apierror.AsError(err).Error()
	}
	if limited.Err() != nil && ctx.Err() == nil {
		status.Waiting = "indexing takes longer than " + syncWait.String() + "; `compound-docs sync` goes on"
	}
	if status.Pending() == 0 {
		p.count(ctx)
	}
	p.latest.Store(&snapshot{published: status.plusQueue(p.queue.Status()), config: p.configStamp()})
}

// syncOnce brings the index up to date with the folders. It calls report, if not nil, with the number of handled files
// and the number of all changed files so far. It returns the files that cannot be indexed.
func (p *Project) syncOnce(ctx context.Context, report func(done, total int)) ([]document.Failure, error) {
	var failed []document.Failure
	handled := 0
	for _, tree := range p.trees {
		before := handled
		result, err := watch.Sync(ctx, tree.folder, tree.indexer, p.ready, func(done, total int) {
			handled = before + total
			if report != nil {
				report(before+done, handled)
			}
		})
		failed = append(failed, result.Failed...)
		if err != nil {
			return failed, err
		}
	}
	return failed, nil
}

// embedAll waits while another server makes vectors, so that nothing is embedded twice. Then it embeds the passages
// that still lack a vector of the present model.
func (p *Project) embedAll(ctx context.Context, progress func(IndexStatus)) error {
	missing, since := -1, time.Now()
	p.until(ctx, func() bool {
		status := p.Status()
		progress(status)
		if status.Embedding != missing {
			missing, since = status.Embedding, time.Now()
		}
		return missing == 0 || status.EmbeddingWaits != "" || time.Since(since) > maxVectorTime
	})
	err := p.queue.Drain(ctx, func(done, total int) {
		progress(IndexStatus{Embedding: total - done, Passages: total})
	})
	left := p.queue.Status()
	reason := errors.New("the model refuses their text")
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case left.Missing == 0:
		return err
	case err != nil:
		reason = apierror.AsError(err)
	}
	return apierror.Errorf(apierror.EmbeddingServiceError,
		"the documents are found by words and built-in vectors, and %d of %d passages have no vector yet: %w; run it again to go on",
		left.Missing, left.Chunks, reason)
}

// Reindex indexes every document of the workspace's project again, on its present branch. A document stays in the index
// until a transaction replaces it. Reindex calls report with "files" and with "passages", and gives the progress to the
// functions that report returns. After an error, vectors may be missing until the next activation or Reindex.
func (w *Workspace) Reindex(ctx context.Context, report func(folder string) func(done, total int)) error {
	p, key, err := w.checkedOut(ctx, w.ownDir())
	if err != nil {
		return err
	}
	tenant, err := w.index.Tenant(ctx, key, p.Root)
	if err != nil {
		return fmt.Errorf("reindex: %w", err)
	}
	fresh := w.newProject(p, tenant)
	defer fresh.cancel()
	for _, tree := range fresh.trees {
		tree.indexer.Again = true
	}
	if _, err := fresh.syncOnce(ctx, report("files")); err != nil {
		return fmt.Errorf("reindex: %w", err)
	}
	if err := fresh.dropFormerExternal(ctx); err != nil {
		return fmt.Errorf("reindex: %w", err)
	}
	if err := fresh.queue.Drain(ctx, report("passages")); err != nil {
		return fmt.Errorf("reindex: words find the documents again, and their vectors are missing: %w", err)
	}
	return nil
}
