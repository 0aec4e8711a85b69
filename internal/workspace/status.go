package workspace

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/compound-docs/compound-docs/db"
	"github.com/compound-docs/compound-docs/internal/document"
	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/rag/apierror"
	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/rag/index"
	"github.com/compound-docs/compound-docs/watch"
)

// syncWait bounds how long a call waits for the sync after an activation or a switch
// of branches. The sync continues afterwards.
const syncWait = 15 * time.Second

// callTime is what a call may need after the sync.
const callTime = 2 * time.Second

// maxPublished bounds the failed files in a published status.
const maxPublished = 20

// Status is how far the index is behind the files. The server that indexes
// publishes it as JSON in the database for those that do not.
type Status struct {
	// Synced is when the index last held all that was on disk; zero before.
	Synced time.Time `json:"synced"`
	// Done of Total changed files have been handled in the sync under way, and
	// Queued more have been seen to change.
	Done   int `json:"done"`
	Total  int `json:"total"`
	Queued int `json:"queued"`
	// State says which files the index holds; see [watch.Status].
	State uint64 `json:"state,omitempty"`
	// Embedding of Passages parts of documents have no vector yet. They are found by
	// their words. While a model is measured, Embedding counts its texts too.
	Embedding int `json:"embedding"`
	Passages  int `json:"passages"`
	// Counting says that both are to be counted again.
	Counting bool `json:"counting,omitempty"`
	// EmbeddingWaits is why embedding waits, "" while it goes on.
	EmbeddingWaits string `json:"embedding_waits,omitempty"`
	// FailedCount files are on disk and cannot be indexed; Failed are the first.
	FailedCount int      `json:"failed_count"`
	Failed      []Failed `json:"failed"`
	// Waiting is why indexing waits, "" while it goes on.
	Waiting string `json:"waiting"`
	// GitBusy is since when indexing waits for git; nil while it does not.
	GitBusy *time.Time `json:"git_busy,omitempty"`

	// takingOver is set while another server takes the place of a suspended one. unnoticed is
	// set if the server that indexes has published other files than this server sees.
	takingOver, unnoticed bool
}

// Failed is a file that cannot be indexed.
type Failed struct {
	Path   string    `json:"path"` // in the index
	Reason string    `json:"reason"`
	Since  time.Time `json:"since"`
}

// Pending is the number of changed files that are not yet in the index.
func (s Status) Pending() int { return s.Total - s.Done + s.Queued }

// Current reports whether the index holds all that is on disk, with its vectors.
func (s Status) Current() bool {
	return s.hasText() && s.FailedCount == 0 && s.Embedding == 0 && s.EmbeddingWaits == ""
}

// hasText reports whether the index holds the text of all that is on disk and can be
// indexed.
func (s Status) hasText() bool { return !s.Synced.IsZero() && s.Pending() == 0 && s.Waiting == "" }

// plus adds the status of one folder. The sum is as old as its oldest part.
func (s Status) plus(part watch.Status) Status {
	s.Done += part.Done
	s.Total += part.Total
	s.Queued += part.Queued
	s.State += part.State
	for _, failed := range part.Failed {
		s = s.plusFailed(failed.Failure, failed.Since)
	}
	if part.Synced.Before(s.Synced) {
		s.Synced = part.Synced
	}
	if part.Err != nil && s.Waiting == "" {
		s.Waiting = apierror.AsError(part.Err).Error()
		if busy, ok := errors.AsType[*gitBusyError](part.Err); ok {
			s.GitBusy = &busy.since
		}
	}
	return s
}

func (s Status) plusFailed(failure document.Failure, since time.Time) Status {
	if s.FailedCount++; len(s.Failed) < maxPublished {
		s.Failed = append(s.Failed, Failed{
			Path: failure.Path, Reason: fmt.Sprintf("%.2000s", printable(apierror.AsError(failure.Err).Error())), Since: since,
		})
	}
	return s
}

// plusQueue adds the status of the queue of passages to embed.
func (s Status) plusQueue(queue index.QueueStatus) Status {
	s.Embedding, s.Passages, s.Counting = queue.Missing, queue.Chunks, queue.Counting
	for _, failed := range queue.Failed {
		s = s.plusFailed(failed, queue.FailedSince)
	}
	if queue.Err != nil {
		s.EmbeddingWaits = apierror.AsError(queue.Err).Error()
	}
	return s
}

// printable replaces NUL, which PostgreSQL refuses in JSON, in a text that may quote
// a file's content.
func printable(text string) string { return strings.ReplaceAll(text, "\x00", "\ufffd") }

// Status returns how far the index is behind. If another server indexes, it returns the status
// that this server has last seen in the tenant's row. It compares that with the files, because
// the other server may be suspended or cut off, or may not have published the last changes yet.
func (p *Project) Status() Status {
	seen := p.seen.Load()
	if seen == nil {
		return Status{Queued: 1, Failed: []Failed{}} // a status published earlier may be outdated
	}
	status := seen.published
	if seen.leading {
		status = p.indexed()
	} else if seen.waiting != nil {
		status.Waiting = apierror.AsError(seen.waiting).Error()
		_, status.takingOver = errors.AsType[*db.StalledError](seen.waiting)
	} else if own := p.observed(); status.State != 0 && status.hasText() && !(own.hasText() && own.State == status.State) {
		status.Queued, status.unnoticed = 1, true
	}
	if seen.problem != nil && status.Waiting == "" {
		status.Waiting = "the config is not valid; the former one stays in force: " + seen.problem.Error()
	}
	return status
}

// Outdated returns how many of the documents that a search has found are no longer what
// the index has of them, as their files say now, and has those indexed again.
func (p *Project) Outdated(of catalog.Collection, hits []rag.Hit) int {
	stamps := make(map[string]document.Stamp, len(hits))
	for _, hit := range hits {
		stamps[hit.Path] = hit.Stamp
	}
	tree := p.docs
	if of == catalog.External {
		tree = p.trees[len(p.trees)-1]
	}
	outdated := tree.folder.Outdated(stamps)
	if len(outdated) > 0 {
		tree.mirror.Rescan()
	}
	return len(outdated)
}

// mirrored is the status without the passages to embed, while this server indexes.
func (p *Project) mirrored() Status {
	status := Status{Synced: time.Now(), Failed: []Failed{}}
	for _, tree := range p.trees {
		status = status.plus(tree.mirror.Status())
	}
	return status
}

// observed is how this server sees the folders while another one indexes.
func (p *Project) observed() Status {
	status := Status{Synced: time.Now()}
	for _, tree := range p.trees {
		status = status.plus(tree.observer.Status())
	}
	return status
}

// indexed is the status while this server indexes.
func (p *Project) indexed() Status { return p.mirrored().plusQueue(p.queue.Status()) }

// count has the queue count the passages to embed, if there may be new ones.
func (p *Project) count(ctx context.Context) {
	if err := p.queue.Count(ctx); err != nil && ctx.Err() == nil {
		p.logger.DebugContext(ctx, "count passages to embed", "error", err)
	}
}

// crashedGit is the age from which nobody waits for git's index lock: a running git
// holds it for moments, and one that crashed has left it behind.
const crashedGit = time.Minute

// soonOver reports whether indexing waits for something that takes moments.
func (s Status) soonOver() bool {
	return s.takingOver || s.GitBusy != nil && time.Since(*s.GitBusy) < crashedGit
}

const (
	// statusPoll is how often a wait looks at the status.
	statusPoll = 20 * time.Millisecond
	// noticePatience is more than the server that indexes takes to notice a change and say so.
	noticePatience = 3 * time.Second
)

// WaitSynced waits until the index holds the text of all files, and calls progress, if
// not nil, with every status until then. It does not wait for vectors. It also returns
// when the sync has to wait for an unavailable service, when another project takes the place
// of p, and when ctx ends. It keeps waiting while git changes the files, and while another
// server takes the place of a suspended one. The server that indexes has some seconds to notice
// what this one sees. It returns the last status.
func (p *Project) WaitSynced(ctx context.Context, progress func(Status)) Status {
	noticed := time.Now()
	for {
		status := p.Status()
		if !status.unnoticed {
			noticed = time.Now()
		}
		if progress != nil {
			progress(status)
		}
		if status.hasText() || status.Waiting != "" && !status.soonOver() || time.Since(noticed) > noticePatience || !p.pause(ctx) {
			if seen := p.seen.Load(); seen != nil && seen.leading {
				p.count(ctx) // the answer says how much there is to embed
			}
			return status
		}
	}
}

// WaitForAnswer is WaitSynced for as long as a call may wait, which leaves it some time to answer.
func (p *Project) WaitForAnswer(ctx context.Context, progress func(Status)) {
	most := syncWait
	if deadline, ok := ctx.Deadline(); ok {
		most = min(most, time.Until(deadline)-callTime)
	}
	ctx, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	p.WaitSynced(ctx, progress)
}

// until waits until done returns true, and returns false if ctx or the project ends first.
func (p *Project) until(ctx context.Context, done func() bool) bool {
	for !done() {
		if !p.pause(ctx) {
			return false
		}
	}
	return true
}

// pause waits between two looks at the status, and returns false when ctx or the project ends.
func (p *Project) pause(ctx context.Context) bool {
	select {
	case <-ctx.Done():
		return false
	case <-p.life.Done():
		return false
	case <-time.After(statusPoll):
		return true
	}
}
