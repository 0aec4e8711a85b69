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

	"github.com/fsnotify/fsnotify"
)

// notifier queues what the file system says has changed in a folder. What it
// says are hints: a lost one is made good by the next walk.
type notifier struct {
	folder  Folder
	queue   *queue
	logger  *slog.Logger
	watcher *fsnotify.Watcher
	// watched are the folders below the root that have a watch, by absolute path.
	watched map[string]bool
	done    sync.WaitGroup
}

// startNotifier watches the folder and everything below it. The error says why
// this file system cannot be watched. The caller calls stop.
func startNotifier(ctx context.Context, folder Folder, q *queue, logger *slog.Logger) (*notifier, error) {
	watcher, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, fmt.Errorf("watch %s: %w", folder.Dir, err)
	}
	n := &notifier{folder: folder, queue: q, logger: logger, watcher: watcher, watched: map[string]bool{}}
	if err := n.watchTree(folder.Dir); err != nil {
		return nil, errors.Join(fmt.Errorf("watch %s: %w", folder.Dir, err), watcher.Close())
	}
	n.done.Go(func() { n.run(ctx) })
	return n, nil
}

func (n *notifier) stop() error {
	err := n.watcher.Close()
	n.done.Wait()
	return err
}

// watchTree watches dir and the folders below it. Watches are not recursive, so
// what appears below dir before its watch is there goes unseen: the caller has
// the folder walked afterwards.
func (n *notifier) watchTree(dir string) error {
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			if path == n.folder.Dir {
				return err
			}
			return nil // gone again, or unreadable: the walk reports it
		}
		if !d.IsDir() {
			return nil
		}
		if name, err := filepath.Rel(n.folder.Dir, path); err != nil || n.folder.skips(filepath.ToSlash(name)) {
			return fs.SkipDir
		}
		if err := n.watcher.Add(path); err != nil {
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			return err
		}
		n.watched[path] = true
		return nil
	})
}

func (n *notifier) run(ctx context.Context) {
	for {
		select {
		case event, ok := <-n.watcher.Events:
			if !ok {
				return
			}
			n.handle(ctx, event)
		case err, ok := <-n.watcher.Errors:
			if !ok {
				return
			}
			// fsnotify.ErrEventOverflow, or a read that failed: events were lost.
			n.logger.WarnContext(ctx, "file events were lost; walking the folder", "folder", n.folder.Dir, "error", err)
			n.queue.addAll()
		}
	}
}

func (n *notifier) handle(ctx context.Context, event fsnotify.Event) {
	if event.Op == fsnotify.Chmod {
		return
	}
	name, err := filepath.Rel(n.folder.Dir, event.Name)
	if err != nil {
		return
	}
	name = filepath.ToSlash(name)
	switch {
	case name == ".":
		// The folder itself was removed or renamed.
		n.queue.addAll()
	case hidden(name):
	case n.watched[event.Name] && event.Has(fsnotify.Remove|fsnotify.Rename):
		delete(n.watched, event.Name)
		n.queue.addAll()
	case event.Has(fsnotify.Create) && isDir(event.Name):
		if err := n.watchTree(event.Name); err != nil {
			n.logger.WarnContext(ctx, "a new folder cannot be watched; it is walked from time to time", "folder", event.Name, "error", err)
		}
		n.queue.addAll()
	case n.folder.Match(name):
		n.queue.add(name)
	}
}

func isDir(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.IsDir()
}
