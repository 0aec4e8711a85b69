package watch

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"time"

	"github.com/fsnotify/fsnotify"
)

// notifier schedules a walk when the file system reports a change in a folder. Events are only hints: the next walk
// also finds changes without an event.
type notifier struct {
	folder   Folder
	root     string // the folder's path without symbolic links
	top      uint64 // the inode of root, or 0
	polls    bool   // nothing is watched; the folder is walked at intervals
	schedule *schedule
	max      int // most folders to watch
	watcher  *fsnotify.Watcher
	events   <-chan fsnotify.Event // of watcher
	errors   chan error            // holds the watcher's first unread error
	watched  map[string]bool       // folders with a watch, by absolute path
	err      error                 // why a folder cannot be watched, or nil
}

var (
	errNoFolder    = errors.New("there is no folder")
	errFolderMoved = errors.New("a folder was moved")
	errNewRules    = errors.New("other files are ignored now")
	errTooManyDirs = errors.New("there are too many folders to watch")
)

// Many files may change at once, and many servers may watch them. So a server does not wake for each event. It handles
// the events of burstTime together, and then leaves new events in the system for burstPause.
const (
	burstTime  = time.Millisecond
	burstPause = 50 * time.Millisecond
)

// newNotifier returns a notifier that watches nothing yet, and never more than maxDirs folders. An error says why the
// folder cannot be watched. The caller must close the watcher.
func newNotifier(folder Folder, q *schedule, maxDirs int) (*notifier, error) {
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
	buffered := uint(0) // all events wait in the system, which says when it has lost one
	if runtime.GOOS == "windows" {
		buffered = 10_000 // without a buffer the watcher adds no folder while an event waits for a reader
	}
	watcher, err := fsnotify.NewBufferedWatcher(buffered)
	if err != nil {
		return nil, err
	}
	n := &notifier{
		folder: folder, root: root, top: StampOf(info).Inode, schedule: q, max: maxDirs, watched: map[string]bool{},
		watcher: watcher, events: watcher.Events, errors: make(chan error, 1),
	}
	// The watcher sends errors under a lock that Add and Close need. This goroutine reads each error to free the lock.
	go func() {
		for err := range watcher.Errors {
			select {
			case n.errors <- err:
			default:
			}
		}
	}()
	return n, nil
}

// watch watches a folder, if it is not watched yet. A walk calls watch before it reads the folder, so that no change is
// missed: the walk finds earlier changes, and each later change brings an event.
func (n *notifier) watch(name string) {
	path := filepath.Join(n.root, filepath.FromSlash(name))
	if n.watcher == nil || n.watched[path] || n.err != nil {
		return
	}
	if len(n.watched) >= n.max {
		n.err = errTooManyDirs
		return
	}
	err := n.watcher.Add(path)
	switch {
	case err == nil:
		n.watched[path] = true
	case name != "." && (errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission)):
		// The removal of a folder is an event, and the walk reports a folder that cannot be read.
	default:
		n.err = fmt.Errorf("watch %s: %w", path, err)
	}
}

// handleBurst handles an event, and the events that follow within burstTime. It returns the first error of handle.
func (n *notifier) handleBurst(event fsnotify.Event) error {
	end := time.After(burstTime)
	for {
		if err := n.handle(event); err != nil {
			return err
		}
		select {
		case event = <-n.events:
		case <-end:
			return nil
		}
	}
}

// handle queues a walk for an event. An error says why all folders must be watched again.
func (n *notifier) handle(event fsnotify.Event) error {
	relative, err := filepath.Rel(n.root, event.Name)
	if err != nil {
		return err
	}
	name := filepath.ToSlash(relative)
	watched := n.watched[event.Name]
	switch {
	case watched && event.Has(fsnotify.Rename):
		// The watches of the folders below event.Name still report the former paths.
		return fmt.Errorf("%w: %s", errFolderMoved, event.Name)
	case name == "." && event.Has(fsnotify.Remove):
		return fmt.Errorf("%w: %s", fs.ErrNotExist, event.Name)
	case path.Base(name) == ".gitignore" && n.folder.Excluded != nil: // the new rules may keep folders that have no watch
		return fmt.Errorf("%w: %s", errNewRules, event.Name)
	case hidden(name):
	case watched && event.Has(fsnotify.Remove):
		delete(n.watched, event.Name)
		n.schedule.add(true)
	case event.Has(fsnotify.Create|fsnotify.Chmod) && isDir(event.Name):
		// A folder that has become readable brings a Chmod event.
		if watched && !event.Has(fsnotify.Create) {
			return nil
		}
		delete(n.watched, event.Name) // an older folder had this name
		if !n.folder.skips(name, n.folder.rules()) && checkName(name) == nil {
			n.watch(name) // events of its files then delay the walk
		}
		n.schedule.add(true)
	case n.folder.Match(name):
		n.schedule.add(event.Has(fsnotify.Remove | fsnotify.Rename)) // another server may have indexed a missing file
	case event.Has(fsnotify.Remove | fsnotify.Rename):
		n.schedule.add(false) // the name may be that of a link that could not be followed
	}
	return nil
}

func isDir(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.IsDir()
}
