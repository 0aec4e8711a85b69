package watch

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/compound-docs/compound-docs/internal/contain"
	"github.com/compound-docs/compound-docs/internal/panics"
)

// notifier queues the changes that the file system reports in a folder, until
// events are lost. The events are hints: the next walk finds what they missed.
type notifier struct {
	folder Folder
	// root is the folder's path without symbolic links.
	root    string
	queue   *queue
	failed  func(name string) bool
	max     int
	watcher *fsnotify.Watcher
	// watched are the folders that have a watch, by absolute path.
	watched map[string]bool
	done    sync.WaitGroup

	// lost is closed when events were lost, for the reason in err. No more changes
	// are queued then.
	lost chan struct{}
	err  error
}

var (
	errNoFolder    = errors.New("there is no folder")
	errFolderMoved = errors.New("a folder was moved")
	errTooManyDirs = errors.New("there are more folders than are watched")
)

// startNotifier watches the folder, and at most maxDirs folders in all. failed
// reports whether the file at a path could not be indexed the last time. The error
// says why the folder cannot be watched. The caller queues a walk of the folder
// afterwards, and calls stop in the end.
func startNotifier(ctx context.Context, folder Folder, q *queue, maxDirs int, failed func(name string) bool) (*notifier, error) {
	opened, err := folder.Open()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errNoFolder, err)
	}
	root, err := filepath.EvalSymlinks(folder.Dir)
	if err = errors.Join(err, opened.Close()); err != nil {
		return nil, err
	}
	watcher, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, err
	}
	n := &notifier{
		folder: folder, root: root, queue: q, failed: failed, max: maxDirs, watcher: watcher,
		watched: map[string]bool{}, lost: make(chan struct{}),
	}
	err = n.watchTree(ctx, root)
	if err == nil && !n.watched[root] {
		err = fmt.Errorf("watch %s: it is not a folder", root)
	}
	if err != nil {
		return nil, errors.Join(err, watcher.Close())
	}
	n.done.Go(func() {
		n.err = panics.Catch(func() error { return n.run(ctx) })
		close(n.lost)
	})
	return n, nil
}

func (n *notifier) stop() error {
	err := n.watcher.Close()
	n.done.Wait()
	return err
}

// watchTree watches dir and the folders below it. A watch is not recursive, so
// changes below dir before the watches exist are missed: the caller queues a walk.
func (n *notifier) watchTree(ctx context.Context, dir string) error {
	name, err := filepath.Rel(n.root, dir)
	if err != nil {
		return err
	}
	top, err := n.open(filepath.ToSlash(name))
	if err != nil {
		return n.passOver(dir, err)
	}
	defer top.Close() //nolint:errcheck // a folder opened for reading has nothing to lose
	return top.Walk(func(below string, d fs.DirEntry, err error) error {
		path := filepath.Join(dir, filepath.FromSlash(below))
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil {
			return n.passOver(path, err)
		}
		if !d.IsDir() {
			return nil
		}
		name := filepath.ToSlash(filepath.Join(name, below))
		if checkName(name) != nil || n.folder.skips(name) {
			return fs.SkipDir
		}
		if len(n.watched) >= n.max {
			return errTooManyDirs
		}
		if err := n.watcher.Add(path); err != nil {
			return n.passOver(path, err)
		}
		n.watched[path] = true
		return nil
	})
}

// open opens a folder in the watched one.
func (n *notifier) open(name string) (*contain.Root, error) {
	root, err := n.folder.Open()
	if err != nil {
		return nil, err
	}
	below, err := root.Sub(name)
	return below, errors.Join(err, root.Close())
}

// passOver returns nil for a folder that is gone again, since its removal is an
// event too, and for one that cannot be looked into, which the walk reports.
func (n *notifier) passOver(path string, err error) error {
	if path != n.root && (errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) || errors.Is(err, contain.ErrTooDeep)) {
		return nil
	}
	return fmt.Errorf("watch %s: %w", path, err)
}

// run handles events until some are lost, and returns why.
func (n *notifier) run(ctx context.Context) error {
	for {
		select {
		case event, ok := <-n.watcher.Events:
			if !ok {
				return fsnotify.ErrClosed
			}
			if err := n.handle(ctx, event); err != nil {
				return err
			}
		case err, ok := <-n.watcher.Errors:
			if !ok {
				return fsnotify.ErrClosed
			}
			// fsnotify.ErrEventOverflow, or a read that failed: events were lost.
			return err
		}
	}
}

func (n *notifier) handle(ctx context.Context, event fsnotify.Event) error {
	relative, err := filepath.Rel(n.root, event.Name)
	if err != nil {
		return err
	}
	name := filepath.ToSlash(relative)
	watched := n.watched[event.Name]
	switch {
	case watched && event.Has(fsnotify.Rename):
		// The watches below go on to report their folders' former paths.
		return fmt.Errorf("%w: %s", errFolderMoved, event.Name)
	case name == "." && event.Has(fsnotify.Remove):
		return fmt.Errorf("%w: %s", fs.ErrNotExist, event.Name)
	case hidden(name):
	case watched && event.Has(fsnotify.Remove):
		delete(n.watched, event.Name)
		n.queue.addAll()
	case event.Has(fsnotify.Create|fsnotify.Chmod) && isDir(event.Name):
		// A folder that has become readable comes as a Chmod.
		if watched && !event.Has(fsnotify.Create) {
			return nil
		}
		err := n.watchTree(ctx, event.Name)
		n.queue.addAll()
		return err
	case n.failed(name), event.Op != fsnotify.Chmod && n.folder.Match(name):
		n.queue.add(name)
	}
	return nil
}

func isDir(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.IsDir()
}

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
