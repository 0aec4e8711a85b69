package watch

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"time"
)

// missingPoll is how often a folder that does not exist is looked for.
const missingPoll = time.Second

// watching is how a mirror learns of changes: from what the file system reports, and by a
// walk of the whole folder from time to time, more often while the file system reports
// nothing.
type watching struct {
	// notifier is nil while the folder cannot be watched.
	notifier *notifier
	// missing says why there is no folder to watch; "" if there is one.
	missing string
	// retry is when to try again to watch a folder that cannot be watched.
	retry time.Time
	tick  *time.Ticker
}

// ensureWatching watches the folder, again if events were lost. It reports whether
// the folder has appeared or disappeared.
func (m *Mirror) ensureWatching(ctx context.Context) (changed bool) {
	if m.notifier != nil {
		select {
		case <-m.notifier.lost:
		default:
			return false
		}
		level := slog.LevelWarn
		if errors.Is(m.notifier.err, errFolderMoved) || errors.Is(m.notifier.err, fs.ErrNotExist) {
			level = slog.LevelDebug
		}
		m.logger.Log(ctx, level, "events were lost; watching the folder again", "reason", m.notifier.err)
		m.stopWatching(ctx)
		m.retry = time.Time{}
		m.queue.addAll()
	}
	if time.Now().Before(m.retry) {
		return false
	}
	notifier, err := startNotifier(ctx, m.folder, m.queue, m.config.MaxDirs, m.hasFailed)
	before := m.missing
	m.notifier, m.missing = notifier, ""
	switch {
	case err == nil:
		// Earlier changes are not among the events.
		m.queue.addAll()
		m.tick.Reset(m.config.Rescan)
	case errors.Is(err, errNoFolder), errors.Is(err, fs.ErrNotExist):
		m.missing = err.Error()
		if m.missing != before {
			m.queue.addAll()
		}
		m.tick.Reset(missingPoll)
	default:
		m.logger.WarnContext(ctx, "the folder cannot be watched; it is walked from time to time instead",
			"every", m.config.Poll, "reason", err)
		m.retry = time.Now().Add(m.config.Rescan)
		m.tick.Reset(m.config.Poll)
	}
	return m.missing != before
}

// lost is closed when the folder has to be watched again.
func (m *Mirror) lost() <-chan struct{} {
	if m.notifier == nil {
		return nil
	}
	return m.notifier.lost
}

func (m *Mirror) stopWatching(ctx context.Context) {
	if m.notifier == nil {
		return
	}
	if err := m.notifier.stop(); err != nil {
		m.logger.WarnContext(ctx, "stop watching", "error", err)
	}
	m.notifier = nil
}
