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

// lookout is how a mirror learns of changes: from the file system while that
// tells of them, and by walking the folder from time to time, more often while
// it does not. It belongs to one goroutine.
type lookout struct {
	folder Folder
	config Config
	queue  *queue
	failed func(name string) bool
	logger *slog.Logger

	// notifier is nil while the file system does not tell of changes.
	notifier *notifier
	// missing is why, while that is because there is no folder, and else "".
	missing string
	// retry is when to try to watch again what cannot be watched.
	retry time.Time
	tick  *time.Ticker
}

// keep watches the folder, anew if changes went unseen, and reports whether it
// has found that there is a folder, or none any more.
func (l *lookout) keep(ctx context.Context) (found bool) {
	if l.notifier != nil {
		select {
		case <-l.notifier.lost:
		default:
			return false
		}
		level := slog.LevelWarn
		if errors.Is(l.notifier.err, errFolderMoved) || errors.Is(l.notifier.err, fs.ErrNotExist) {
			level = slog.LevelDebug
		}
		l.logger.Log(ctx, level, "events do not tell of every change; watching anew", "reason", l.notifier.err)
		l.stop(ctx)
		l.retry = time.Time{}
		l.queue.addAll()
	}
	if time.Now().Before(l.retry) {
		return false
	}
	notifier, err := startNotifier(ctx, l.folder, l.queue, l.config.MaxDirs, l.failed)
	before := l.missing
	l.notifier, l.missing = notifier, ""
	switch {
	case err == nil:
		// What changed before the watches were there is not among the events.
		l.queue.addAll()
		l.tick.Reset(l.config.Rescan)
	case errors.Is(err, errNoFolder), errors.Is(err, fs.ErrNotExist):
		l.missing = err.Error()
		if l.missing != before {
			l.queue.addAll()
		}
		l.tick.Reset(missingPoll)
	default:
		l.logger.WarnContext(ctx, "the folder cannot be watched; it is walked from time to time instead",
			"every", l.config.Poll, "reason", err)
		l.retry = time.Now().Add(l.config.Rescan)
		l.tick.Reset(l.config.Poll)
	}
	return l.missing != before
}

// ticked is called at every tick.
func (l *lookout) ticked() {
	if l.missing == "" {
		l.queue.addAllNow()
	}
}

// lost is closed when the folder has to be watched anew.
func (l *lookout) lost() <-chan struct{} {
	if l.notifier == nil {
		return nil
	}
	return l.notifier.lost
}

func (l *lookout) stop(ctx context.Context) {
	if l.notifier == nil {
		return
	}
	if err := l.notifier.stop(); err != nil {
		l.logger.WarnContext(ctx, "stop watching", "error", err)
	}
	l.notifier = nil
}
