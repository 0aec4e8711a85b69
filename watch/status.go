package watch

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/compound-docs/compound-docs/internal/document"
)

// Status is how far an index is behind its folder.
type Status struct {
	// Synced is when the index last held all that was on disk; zero before.
	Synced time.Time
	// Done of Total changed files have been handled in the present walk.
	Done, Total int
	// Queued is the number of changes that were seen and not handled yet.
	Queued int
	// State is a number for the files that the last walk met, with their sizes and times: 0
	// before the first. Mirrors of the same files have the same State.
	State uint64
	// Failed are the files that are on disk and cannot be indexed, sorted by path.
	Failed []Failed
	// Err is why the mirror waits; nil while it does not.
	Err error
}

// Pending is the number of changes that are not yet in the index.
func (s Status) Pending() int { return s.Total - s.Done + s.Queued }

// Failed is a file that cannot be indexed.
type Failed struct {
	document.Failure

	// Since is when it was first seen so.
	Since time.Time
}

// setFailed replaces the failures.
func (m *Mirror) setFailed(ctx context.Context, failures []document.Failure) {
	m.mu.Lock()
	defer m.mu.Unlock()
	before := m.failed
	m.failed, m.status.Failed = map[string]time.Time{}, nil
	for _, failure := range failures {
		since, known := before[failure.Path]
		if !known {
			since = time.Now()
			m.logger.WarnContext(ctx, "file not indexed", "path", failure.Path, "reason", failure.Err)
		}
		m.failed[failure.Path] = since
		m.status.Failed = append(m.status.Failed, Failed{Failure: failure, Since: since})
	}
	slices.SortFunc(m.status.Failed, func(a, b Failed) int { return cmp.Compare(a.Path, b.Path) })
}

// Status returns the present status.
func (m *Mirror) Status() Status {
	m.mu.Lock()
	defer m.mu.Unlock()
	status := m.status
	status.Queued = m.queue.pending()
	if status.Queued == 0 && !status.Synced.IsZero() && m.folder.differs(m.folders) {
		m.queue.addNow()
		status.Queued = 1
	}
	return status
}

// Rescan queues a walk that compares the folder with the index itself. Many calls put it off
// no longer than one.
func (m *Mirror) Rescan() {
	m.queue.addWhole()
	m.config.OnChange()
}

// Reset clears the status before the mirror runs again. A file that still fails
// keeps the time since when it has failed.
func (m *Mirror) Reset() { m.update(func(s *Status) { *s = Status{} }) }

func (m *Mirror) update(change func(*Status)) {
	m.mu.Lock()
	change(&m.status)
	m.mu.Unlock()
	m.config.OnChange()
}
