package watch

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/compound-docs/compound-docs/internal/document"
)

// Progress is how far an index is behind its folder.
type Progress struct {
	Synced      time.Time // when the index last held everything on disk; zero if never
	Done, Total int       // changed files of the present walk: the handled ones, and all
	Queued      int       // changes that are noticed and not yet handled
	// State is a number for the files of the last walk, with their sizes and times, or 0 before the first walk. Mirrors of
	// the same files have the same State.
	State  uint64
	Failed []Failed // files that cannot be indexed, sorted by path
	Err    error    // why the mirror waits, or nil
}

// Failed is a file that cannot be indexed.
type Failed struct {
	document.Failure

	Since time.Time
}

func (m *Mirror) setFailed(ctx context.Context, failures []document.Failure) {
	m.mu.Lock()
	defer m.mu.Unlock()
	before := map[string]time.Time{}
	for _, failed := range m.status.Failed {
		before[failed.Path] = failed.Since
	}
	m.status.Failed = nil
	for _, failure := range failures {
		since, known := before[failure.Path]
		if !known {
			since = time.Now()
			m.log.WarnContext(ctx, "file not indexed", "path", failure.Path, "reason", failure.Err)
		}
		m.status.Failed = append(m.status.Failed, Failed{Failure: failure, Since: since})
	}
	slices.SortFunc(m.status.Failed, func(a, b Failed) int { return cmp.Compare(a.Path, b.Path) })
}

// Status returns the present status, by the events so far.
func (m *Mirror) Status() Progress {
	m.mu.Lock()
	defer m.mu.Unlock()
	status := m.status
	status.Queued = m.schedule.pending()
	return status
}

// Compare queues a walk if the stamp of a folder has changed since the last walk. It notices files that came or went
// without an event, or whose event has not come yet.
func (m *Mirror) Compare() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.schedule.pending() == 0 && !m.status.Synced.IsZero() && m.folder.differs(m.folders) {
		m.schedule.addNow()
	}
}

// Rescan queues a whole walk, which compares the folder with the index instead of the last walk.
func (m *Mirror) Rescan() {
	m.schedule.addWhole()
	m.config.OnChange()
}

// Reset clears the status before Run or Observe. Failed stays, so that a file that fails again keeps the time of its
// first failure.
func (m *Mirror) Reset() { m.update(func(s *Progress) { *s = Progress{Failed: s.Failed} }) }

func (m *Mirror) update(change func(*Progress)) {
	m.mu.Lock()
	change(&m.status)
	m.mu.Unlock()
	m.config.OnChange()
}
