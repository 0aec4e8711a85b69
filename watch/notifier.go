package watch

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/compound-docs/compound-docs/internal/contain"
)

// notifier queues the changes that the file system reports in a folder. The events are
// hints: the next walk finds what they missed.
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
}

var (
	errNoFolder    = errors.New("there is no folder")
	errFolderMoved = errors.New("a folder was moved")
	errTooManyDirs = errors.New("there are more folders than are watched")
)

// newNotifier watches the folder, and at most maxDirs folders in all. failed
// reports whether the file at a path could not be indexed the last time. The error
// says why the folder cannot be watched. The caller closes the watcher.
func newNotifier(ctx context.Context, folder Folder, q *queue, maxDirs int, failed func(name string) bool) (*notifier, error) {
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
		folder: folder, root: root, queue: q, failed: failed, max: maxDirs, watcher: watcher, watched: map[string]bool{},
	}
	err = n.watchTree(ctx, root)
	if err == nil && !n.watched[root] {
		err = fmt.Errorf("watch %s: it is not a folder", root)
	}
	if err != nil {
		return nil, errors.Join(err, watcher.Close())
	}
	return n, nil
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

// run queues changes, and a walk of the whole folder once an interval, until ctx ends or
// events are lost, and returns why.
func (n *notifier) run(ctx context.Context, interval time.Duration) error {
	rescan := time.NewTicker(interval)
	defer rescan.Stop()
	for {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-rescan.C:
			n.queue.addAllNow()
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
	case !n.failed(name) && (event.Op == fsnotify.Chmod || !n.folder.Match(name)):
	case event.Has(fsnotify.Remove | fsnotify.Rename):
		n.queue.addAll() // another server may have indexed it since the last walk
	default:
		n.queue.add()
	}
	return nil
}

func isDir(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.IsDir()
}

// missingPoll is how often a folder that does not exist is looked for.
const missingPoll = time.Second

// watch queues walks until ctx ends: for what the file system reports, and of the whole folder
// from time to time, more often while the file system reports nothing.
func (m *Mirror) watch(ctx context.Context) {
	missing := "" // why there is no folder
	for first := true; ctx.Err() == nil; first = false {
		notifier, err := newNotifier(ctx, m.folder, m.queue, m.config.MaxDirs, m.hasFailed)
		switch {
		case err == nil:
			missing = ""
			m.queue.put(true, first) // earlier changes are not among the events
			m.follow(ctx, notifier)
		case errors.Is(err, errNoFolder), errors.Is(err, fs.ErrNotExist):
			if err.Error() != missing || m.found.Load() {
				m.queue.put(true, first)
			}
			missing = err.Error()
			wait(ctx, missingPoll)
		default:
			missing = ""
			m.logger.WarnContext(ctx, "the folder cannot be watched; it is walked from time to time instead",
				"every", m.config.Poll, "reason", err)
			for began := time.Now(); time.Since(began) < m.config.Rescan && ctx.Err() == nil; {
				m.queue.addAllNow()
				wait(ctx, m.config.Poll)
			}
		}
	}
}

// follow queues what a notifier is told of until events are lost, and closes it.
func (m *Mirror) follow(ctx context.Context, n *notifier) {
	defer func() {
		if err := n.watcher.Close(); err != nil {
			m.logger.WarnContext(ctx, "stop watching", "error", err)
		}
	}()
	err := n.run(ctx, m.config.Rescan)
	if ctx.Err() != nil {
		return
	}
	level := slog.LevelWarn
	if errors.Is(err, errFolderMoved) || errors.Is(err, fs.ErrNotExist) {
		level = slog.LevelDebug
	}
	m.logger.Log(ctx, level, "events were lost; watching the folder again", "reason", err)
}

func wait(ctx context.Context, duration time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(duration):
	}
}
