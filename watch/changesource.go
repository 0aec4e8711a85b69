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

// changeSource queues the changes of a folder: those that the file system reports,
// and from time to time a walk of the whole folder, more often while the file
// system reports nothing. It belongs to one goroutine.
type changeSource struct {
	folder Folder
	config Config
	queue  *queue
	failed func(name string) bool
	logger *slog.Logger

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
func (s *changeSource) ensureWatching(ctx context.Context) (changed bool) {
	if s.notifier != nil {
		select {
		case <-s.notifier.lost:
		default:
			return false
		}
		level := slog.LevelWarn
		if errors.Is(s.notifier.err, errFolderMoved) || errors.Is(s.notifier.err, fs.ErrNotExist) {
			level = slog.LevelDebug
		}
		s.logger.Log(ctx, level, "events were lost; watching the folder again", "reason", s.notifier.err)
		s.stop(ctx)
		s.retry = time.Time{}
		s.queue.addAll()
	}
	if time.Now().Before(s.retry) {
		return false
	}
	notifier, err := startNotifier(ctx, s.folder, s.queue, s.config.MaxDirs, s.failed)
	before := s.missing
	s.notifier, s.missing = notifier, ""
	switch {
	case err == nil:
		// Earlier changes are not among the events.
		s.queue.addAll()
		s.tick.Reset(s.config.Rescan)
	case errors.Is(err, errNoFolder), errors.Is(err, fs.ErrNotExist):
		s.missing = err.Error()
		if s.missing != before {
			s.queue.addAll()
		}
		s.tick.Reset(missingPoll)
	default:
		s.logger.WarnContext(ctx, "the folder cannot be watched; it is walked from time to time instead",
			"every", s.config.Poll, "reason", err)
		s.retry = time.Now().Add(s.config.Rescan)
		s.tick.Reset(s.config.Poll)
	}
	return s.missing != before
}

// ticked queues the walk that is due at a tick.
func (s *changeSource) ticked() {
	if s.missing == "" {
		s.queue.addAllNow()
	}
}

// lost is closed when the folder has to be watched again.
func (s *changeSource) lost() <-chan struct{} {
	if s.notifier == nil {
		return nil
	}
	return s.notifier.lost
}

func (s *changeSource) stop(ctx context.Context) {
	if s.notifier == nil {
		return
	}
	if err := s.notifier.stop(); err != nil {
		s.logger.WarnContext(ctx, "stop watching", "error", err)
	}
	s.notifier = nil
}
