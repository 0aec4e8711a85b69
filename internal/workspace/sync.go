package workspace

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/compound-docs/compound-docs/rag/apierror"
	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/watch"
)

const (
	// syncPatience is the time that [Workspace.Sync] waits for the next vector, such as the
	// first one of a model that Ollama has to load.
	syncPatience = time.Minute
	// stalledPatience is that while embedding waits, or where the model may have refused
	// what has no vector.
	stalledPatience = 5 * time.Second
)

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
	if err := active.waitEmbedded(ctx, progress); err != nil {
		return active, err
	}
	return active, active.embedRest(ctx, progress)
}

// syncUnnoticed indexes what another process, which indexes the project, has not noticed
// yet: a file that was saved a moment ago.
func (p *Project) syncUnnoticed(ctx context.Context) error {
	if p.isLeading() {
		return nil
	}
	if err := p.ready(); err != nil {
		return err
	}
	for _, tree := range p.trees {
		if _, err := watch.Sync(ctx, tree.folder, tree.indexer, nil); err != nil {
			return fmt.Errorf("sync %s: %w", tree.folder.Dir, err)
		}
	}
	return nil
}

// embedRest embeds what still has no vector of the model that Ollama has now: what
// syncUnnoticed has indexed, or everything if the model was replaced. Who indexes the
// project finds out later. What another process embeds must not be embedded here too, so
// that this comes when nothing is left that it knows of.
func (p *Project) embedRest(ctx context.Context, progress func(Status)) error {
	status := Status{}
	report := func(done, total int) {
		if status.Embedding, status.Passages = total-done, total; progress != nil {
			progress(status)
		}
	}
	err := p.queue.Drain(ctx, report)
	if err == nil {
		err = p.queue.Recount(ctx, report)
	}
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case status.Embedding == 0:
		return err
	case err != nil:
		return unembedded(status, apierror.AsError(err).Error())
	default:
		return unembedded(status, "the model refuses their text")
	}
}

func (p *Project) isLeading() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.leading
}

// waitEmbedded waits until every passage has a vector, or until that makes no progress.
func (p *Project) waitEmbedded(ctx context.Context, progress func(Status)) (err error) {
	var last Status
	since := time.Now()
	ended := p.until(ctx, func() bool {
		status := p.Status(ctx)
		if progress != nil {
			progress(status)
		}
		if status.Embedding != last.Embedding || status.EmbeddingWaits != last.EmbeddingWaits {
			last, since = status, time.Now()
		}
		patience := syncPatience
		if status.EmbeddingWaits != "" || status.FailedCount > 0 {
			patience = stalledPatience
		}
		switch waited := time.Since(since); {
		case status.Embedding == 0:
			return true
		case waited <= patience:
			return false
		case status.EmbeddingWaits != "":
			err = unembedded(status, status.EmbeddingWaits)
		case status.FailedCount == 0: // else the model may have refused them
			err = unembedded(status, "none was made for "+patience.String())
		}
		return true
	})
	if !ended {
		return context.Cause(ctx)
	}
	return err
}

func unembedded(status Status, reason string) *apierror.Error {
	return apierror.Errorf(apierror.EmbeddingServiceError,
		"the documents are found by their words, and %d of %d passages have no vector yet: %s; run it again to go on",
		status.Embedding, status.Passages, reason)
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
