package watch

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/compound-docs/compound-docs/internal/contain"
)

// notifier schedules a walk when the file system reports a change in a folder. Events are hints: the
// next walk finds what they missed.
type notifier struct {
	folder   Folder
	root     string // the folder's path without symbolic links
	top      uint64 // its inode, or 0
	polls    bool   // nothing is watched
	schedule *schedule
	max      int // of watched folders
	watcher  *fsnotify.Watcher
	events   <-chan fsnotify.Event // of watcher
	errors   chan error            // holds the watcher's first unread error
	watched  map[string]bool       // folders with a watch, by absolute path
}

var (
	errNoFolder    = errors.New("there is no folder")
	errFolderMoved = errors.New("a folder was moved")
	errNewRules    = errors.New("other files are ignored now")
	errTooManyDirs = errors.New("there are too many folders to watch")
)

// Many files may change at once, and many servers may watch them. So a server does not wake for each
// event: those of burstTime are handled together, and then events gather in the system for burstPause.
const (
	burstTime  = time.Millisecond
	burstPause = 50 * time.Millisecond
)

// bufferedEvents is how many events wait in this process. On Windows a watcher adds no folder while it
// waits for a reader. Elsewhere all wait in the system, which says when it has lost one.
func bufferedEvents() uint {
	if runtime.GOOS == "windows" {
		return 10_000
	}
	return 0
}

// newNotifier watches the folder and those below it, at most maxDirs. The error says why that is not
// possible. The caller closes the watcher.
func newNotifier(ctx context.Context, folder Folder, q *schedule, maxDirs int) (*notifier, error) {
	opened, err := folder.Open()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errNoFolder, err)
	}
	defer opened.Close() //nolint:errcheck // a folder opened for reading has nothing to lose
	root, err := filepath.EvalSymlinks(folder.Dir)
	if err != nil {
		return nil, err
	}
	info, err := os.Stat(root)
	if err != nil {
		return nil, err
	}
	watcher, err := fsnotify.NewBufferedWatcher(bufferedEvents())
	if err != nil {
		return nil, err
	}
	n := &notifier{
		folder: folder, root: root, top: StampOf(info).Inode, schedule: q, max: maxDirs, watched: map[string]bool{},
		watcher: watcher, events: watcher.Events, errors: make(chan error, 1),
	}
	// The watcher sends errors under the lock that Add and Close take, so this goroutine always reads them.
	go func() {
		for err := range watcher.Errors {
			select {
			case n.errors <- err:
			default:
			}
		}
	}()
	if err := n.watchTree(ctx, root); err != nil {
		return nil, errors.Join(err, watcher.Close())
	}
	return n, nil
}

// watchTree watches dir and the folders below it. Changes before the watches exist have no event, so the
// caller queues a walk.
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
	excluded := n.folder.rules()
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
		if checkName(name) != nil || n.folder.skips(name, excluded) {
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

func (n *notifier) open(name string) (*contain.Root, error) {
	root, err := n.folder.Open()
	if err != nil {
		return nil, err
	}
	below, err := root.Sub(name)
	return below, errors.Join(err, root.Close())
}

// passOver returns nil for a folder that is gone, because its removal is an event, and for a folder that
// cannot be read, because the walk reports it.
func (n *notifier) passOver(path string, err error) error {
	if path != n.root && (errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) || errors.Is(err, contain.ErrTooDeep)) {
		return nil
	}
	return fmt.Errorf("watch %s: %w", path, err)
}

// handleBurst handles an event and those that follow it closely. The error is as of handle.
func (n *notifier) handleBurst(ctx context.Context, event fsnotify.Event) error {
	end := time.After(burstTime)
	for {
		if err := n.handle(ctx, event); err != nil {
			return err
		}
		select {
		case event = <-n.events:
		case <-end:
			return nil
		}
	}
}

// handle queues the walk for an event. The error says why the folder must be watched again.
func (n *notifier) handle(ctx context.Context, event fsnotify.Event) error {
	relative, err := filepath.Rel(n.root, event.Name)
	if err != nil {
		return err
	}
	name := filepath.ToSlash(relative)
	watched := n.watched[event.Name]
	switch {
	case watched && event.Has(fsnotify.Rename):
		// The watches below still report the former paths.
		return fmt.Errorf("%w: %s", errFolderMoved, event.Name)
	case name == "." && event.Has(fsnotify.Remove):
		return fmt.Errorf("%w: %s", fs.ErrNotExist, event.Name)
	case path.Base(name) == ".gitignore" && n.folder.Excluded != nil: // folders without a watch may belong to it now
		return fmt.Errorf("%w: %s", errNewRules, event.Name)
	case hidden(name):
	case watched && event.Has(fsnotify.Remove):
		delete(n.watched, event.Name)
		n.schedule.add(true)
	case event.Has(fsnotify.Create|fsnotify.Chmod) && isDir(event.Name):
		// A folder that has become readable is a Chmod.
		if watched && !event.Has(fsnotify.Create) {
			return nil
		}
		n.schedule.add(true)
		return n.watchTree(ctx, event.Name)
	case n.folder.Match(name):
		n.schedule.add(event.Has(fsnotify.Remove | fsnotify.Rename)) // another server may have indexed it since the last walk
	case event.Has(fsnotify.Remove | fsnotify.Rename):
		n.schedule.add(false) // it may be a link that could not be followed
	}
	return nil
}

func isDir(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.IsDir()
}
