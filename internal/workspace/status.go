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
)

const (
	// syncWait bounds a call's wait for the sync after an activation or a switch of branches. The sync continues
	// afterwards.
	syncWait = 15 * time.Second
	// firstWait bounds the wait for the sync in a call that needs a project but did not ask for an activation.
	firstWait = 5 * time.Second
	// callTime is how long before a call's deadline the wait for the sync ends, so that the call can still answer.
	callTime = 2 * time.Second
	// maxPublished bounds the failed files in a published status.
	maxPublished = 20
)

// IndexStatus says how far the index is behind the files. Of several servers on one checkout, only one indexes. It
// publishes its status as JSON in the database, for the other servers.
type IndexStatus struct {
	// Synced is the last time when the index held everything on disk, or zero if there was no such time.
	Synced time.Time `json:"synced"`
	// The present sync has handled Done of Total changed files. Queued counts changed files that wait for the next sync.
	Done   int `json:"done"`
	Total  int `json:"total"`
	Queued int `json:"queued"`
	// State is a number for the files of the last walk; see [watch.Progress].
	State uint64 `json:"state,omitempty"`
	// Embedding counts the passages without a vector, and Passages all passages. Searches find passages without a vector
	// by words. While the server measures how to compare a new model's vectors, Embedding is at least 1. Counting says
	// that both numbers are old.
	Embedding int  `json:"embedding"`
	Passages  int  `json:"passages"`
	Counting  bool `json:"counting,omitempty"`
	// EmbeddingWaits is why embedding waits, or "".
	EmbeddingWaits string `json:"embedding_waits,omitempty"`
	// FailedCount is how many files on disk cannot be indexed. Failed lists the first of these files.
	FailedCount int      `json:"failed_count"`
	Failed      []Failed `json:"failed"`
	// Waiting is why indexing waits, or "".
	Waiting string `json:"waiting"`
	// GitBusy is the time when git took its lock, if indexing waits for this lock, or nil.
	GitBusy *time.Time `json:"git_busy,omitempty"`

	takingOver bool // the server that indexes is silent, and another server is about to replace it
	unnoticed  bool // the server that indexes has not noticed changes that this server sees
}

// Failed is a file that cannot be indexed.
type Failed struct {
	Path   string    `json:"path"` // path in the index
	Reason string    `json:"reason"`
	Since  time.Time `json:"since"`
}

// Pending returns the number of changed files that are not yet in the index.
func (s IndexStatus) Pending() int { return s.Total - s.Done + s.Queued }

// Current reports whether the index holds everything on disk, with its vectors, and no file has failed.
func (s IndexStatus) Current() bool {
	return s.hasText() && s.FailedCount == 0 && s.Embedding == 0 && s.EmbeddingWaits == ""
}

// hasText reports whether the index holds the text of all files that can be indexed.
func (s IndexStatus) hasText() bool { return !s.Synced.IsZero() && s.Pending() == 0 && s.Waiting == "" }

func (s IndexStatus) plusFailed(failure document.Failure, since time.Time) IndexStatus {
	if s.FailedCount++; len(s.Failed) < maxPublished {
		reason := strings.ReplaceAll(apierror.AsError(failure.Err).Error(), "\x00", "\ufffd") // PostgreSQL refuses NUL in JSON
		s.Failed = append(s.Failed, Failed{Path: failure.Path, Reason: fmt.Sprintf("%.2000s", reason), Since: since})
	}
	return s
}

func (s IndexStatus) plusQueue(queue index.QueueStatus) IndexStatus {
	s.Embedding, s.Passages, s.Counting = queue.Missing, queue.Chunks, queue.Counting
	for _, failed := range queue.Failed {
		s = s.plusFailed(failed, queue.FailedSince)
	}
	if queue.Err != nil {
		s.EmbeddingWaits = apierror.AsError(queue.Err).Error()
	}
	return s
}

// Status looks for changes in the folders since their last walk, and returns how far the index is behind.
func (p *Project) Status() IndexStatus {
	for _, tree := range p.trees {
		tree.mirror.Compare()
	}
	return p.Noticed()
}

// Noticed returns how far the index is behind, by the changes that this server has noticed so far. If another server
// indexes, Noticed returns the last status that the other server published. It compares this status with the files,
// because the other server may be suspended, cut off, or late.
func (p *Project) Noticed() IndexStatus {
	latest := p.latest.Load()
	if latest == nil {
		return IndexStatus{Queued: 1, Failed: []Failed{}} // a status published earlier may be outdated
	}
	status := latest.published
	if latest.leading {
		status = p.indexed()
	} else if latest.waiting != nil {
		status.Waiting = apierror.AsError(latest.waiting).Error()
		_, status.takingOver = errors.AsType[*db.StalledError](latest.waiting)
	} else if own := p.mirrored(); status.State != 0 && status.hasText() && !(own.hasText() && own.State == status.State) {
		status.Queued, status.unnoticed = 1, true
	}
	if latest.problem != nil && status.Waiting == "" {
		status.Waiting = "the config is not valid; the former one stays in force: " + latest.problem.Error()
	}
	return status
}

// Outdated counts the hits whose files have changed since the files were indexed. It asks for a walk of their folders.
func (p *Project) Outdated(collection catalog.Collection, hits []rag.Hit) int {
	outdated := 0
	for _, tree := range p.trees {
		if tree.collection != collection {
			continue
		}
		stamps := map[string]document.Stamp{}
		for _, hit := range hits {
			if tree.indexer.Owns == nil || tree.indexer.Owns(hit.Path) {
				stamps[hit.Path] = hit.Stamp
			}
		}
		if n := len(tree.folder.Outdated(stamps)); n > 0 {
			outdated += n
			tree.mirror.Rescan()
		}
	}
	return outdated
}

// mirrored adds up the status of the folders, with the oldest Synced. While another server indexes, the sum describes
// the files that this server sees, not the index.
func (p *Project) mirrored() IndexStatus {
	sum := IndexStatus{Synced: time.Now(), Failed: []Failed{}}
	for _, tree := range p.trees {
		part := tree.mirror.Status()
		sum.Done += part.Done
		sum.Total += part.Total
		sum.Queued += part.Queued
		sum.State += part.State
		for _, failed := range part.Failed {
			sum = sum.plusFailed(failed.Failure, failed.Since)
		}
		if part.Synced.Before(sum.Synced) {
			sum.Synced = part.Synced
		}
		if part.Err != nil && sum.Waiting == "" {
			sum.Waiting = apierror.AsError(part.Err).Error()
			if busy, ok := errors.AsType[*gitBusyError](part.Err); ok {
				sum.GitBusy = &busy.since
			}
		}
	}
	return sum
}

func (p *Project) indexed() IndexStatus { return p.mirrored().plusQueue(p.queue.Status()) }

// count counts the passages to embed, if there may be new passages.
func (p *Project) count(ctx context.Context) {
	if err := p.queue.Count(ctx); err != nil && ctx.Err() == nil {
		p.logger.DebugContext(ctx, "count passages to embed", "error", err)
	}
}

// crashedGit is the age of git's lock at which a call stops waiting for it. A running git has the lock only for
// moments.
const crashedGit = time.Minute

const (
	statusPoll = 20 * time.Millisecond
	// maxNoticeTime bounds how long a call waits until the server that indexes notices and publishes a change.
	maxNoticeTime = 3 * time.Second
)

// WaitSynced waits until the index holds the text of all files, and returns the last status. It does not wait for
// vectors. It calls progress, if not nil, with every status. It returns earlier if ctx ends, if a service is
// unavailable, if another project replaces p, or if the server that indexes does not notice a change within seconds.
func (p *Project) WaitSynced(ctx context.Context, progress func(IndexStatus)) IndexStatus {
	noticed := time.Now()
	for {
		status := p.Status()
		if !status.unnoticed {
			noticed = time.Now()
		}
		if progress != nil {
			progress(status)
		}
		isHeld := status.GitBusy != nil && time.Since(*status.GitBusy) < crashedGit
		isSoonOver := status.takingOver || isHeld
		if status.hasText() || status.Waiting != "" && !isSoonOver || time.Since(noticed) > maxNoticeTime || !p.pause(ctx) {
			if latest := p.latest.Load(); latest != nil && latest.leading {
				p.count(ctx) // the answer has the number of passages to embed
			}
			return status
		}
	}
}

// WaitForAnswer is WaitSynced for at most syncWait. It ends callTime before ctx does, so that the call can answer.
func (p *Project) WaitForAnswer(ctx context.Context, progress func(IndexStatus)) {
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

// pause waits for statusPoll. It returns false if ctx or the project ends first.
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
