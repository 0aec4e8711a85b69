package watch

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"time"
)

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
	// missing is set while that is because there is no folder.
	missing bool
	// retry is when to try to watch again what cannot be watched.
	retry time.Time
	tick  *time.Ticker
}

// keep watches the folder, anew if changes went unseen.
func (l *lookout) keep(ctx context.Context) {
	if l.notifier != nil {
		select {
		case <-l.notifier.lost:
		default:
			return
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
		return
	}
	notifier, err := startNotifier(ctx, l.folder, l.queue, l.config.MaxDirs, l.failed)
	l.notifier, l.missing = notifier, errors.Is(err, fs.ErrNotExist)
	switch {
	case err == nil:
		// What changed before the watches were there is not among the events.
		l.queue.addAll()
		l.tick.Reset(l.config.Rescan)
	case l.missing:
		l.tick.Reset(l.config.Poll)
	default:
		l.logger.WarnContext(ctx, "the folder cannot be watched; it is walked from time to time instead",
			"every", l.config.Poll, "reason", err)
		l.retry = time.Now().Add(l.config.Rescan)
		l.tick.Reset(l.config.Poll)
	}
}

// ticked is called at every tick.
func (l *lookout) ticked() {
	if !l.missing {
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
