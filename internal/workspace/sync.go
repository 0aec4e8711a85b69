package workspace

import (
	"context"
	"time"

	"github.com/compound-docs/compound-docs/rag"
)

const (
	// syncPatience is how long [Workspace.Sync] waits for the next vector, such as the
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
			return active, ctx.Err()
		}
		return active, rag.Errorf(rag.InternalError, "%d changed files are not in the index yet: %s", status.Pending(), status.Waiting)
	}
	return active, active.waitEmbedded(ctx, progress)
}

// waitEmbedded waits until every passage has a vector, or until that makes no progress.
func (p *Project) waitEmbedded(ctx context.Context, progress func(Status)) error {
	poll := time.NewTicker(followerPoll)
	defer poll.Stop()
	var last Status
	since := time.Now()
	for {
		changed := p.nextChange()
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
			return nil
		case waited > patience && status.EmbeddingWaits != "":
			return rag.Errorf(rag.EmbeddingServiceError, "the documents are found by their words, and %d of %d passages have no vector yet: %s",
				status.Embedding, status.Passages, status.EmbeddingWaits)
		case waited > patience && status.FailedCount > 0:
			return nil // the model has refused them
		case waited > patience:
			return rag.Errorf(rag.EmbeddingServiceError, "the documents are found by their words, and %d of %d passages have no vector yet; "+
				"none was made for %s", status.Embedding, status.Passages, patience)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-changed:
		case <-poll.C:
		}
	}
}
