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
	err      error                 // why a folder cannot be watched, or nil
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

// newNotifier returns a notifier that watches nothing yet, and at most maxDirs folders. The error says why that is not
// possible. The caller closes the watcher.
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
		buffered = 10_000 // events wait in this process: otherwise a watcher adds no folder while it waits for a reader
	}
	watcher, err := fsnotify.NewBufferedWatcher(buffered)
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
	return n, nil
}

// watch watches a folder, unless it does so already. A walk calls it before it reads the folder, so that it misses no
// change: a change before the watch is in the folder, and a later one has an event.
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
		// Its removal is an event, and the walk reports a folder that cannot be read.
	default:
		n.err = fmt.Errorf("watch %s: %w", path, err)
	}
}

// handleBurst handles an event and those that follow it closely. The error is as of handle.
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

// handle queues the walk for an event. The error says why the folder must be watched again.
func (n *notifier) handle(event fsnotify.Event) error {
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
		delete(n.watched, event.Name) // the former folder of that name
		if !n.folder.skips(name, n.folder.rules()) && checkName(name) == nil {
			n.watch(name) // writes to its files put off the walk
		}
		n.schedule.add(true)
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
