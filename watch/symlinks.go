package watch

import (
	"context"
	"fmt"
	"maps"
	"sync"
	"time"
)

// symlinkPoll is how often the targets of symbolic links are looked at.
const symlinkPoll = time.Second

// symlinks are a folder's symbolic links to documents, and documents with another name
// (hard links). A change of the target, or under the other name, is no event of the path,
// so they are polled. Safe for concurrent use.
type symlinks struct {
	mu sync.Mutex
	// seen is the state of each link's target when the link was last handled, by
	// the link's path in the folder.
	seen map[string]string
}

// maxPolled bounds the hard links that are polled: every second costs a stat of each, and
// there are folders in which all files have several names.
const maxPolled = 1000

// polledBeside reports whether the path is polled beside so many others.
func (e entry) polledBeside(others int) bool { return e.linked || e.shared && others < maxPolled }

// state identifies a state of a link's target. err is that of [Folder.find].
func (e entry) state(err error) string {
	if err != nil {
		return err.Error()
	}
	return fmt.Sprint(e.stat.size, e.stat.modTime.UnixNano(), e.stat.changeTime.UnixNano(), e.stat.inode)
}

func (l *symlinks) replace(seen map[string]string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.seen = seen
}

// note remembers the state of a path's target, or forgets the path if it is no
// link.
func (l *symlinks) note(e entry, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !e.polledBeside(len(l.seen)) {
		delete(l.seen, e.name)
		return
	}
	if l.seen == nil {
		l.seen = map[string]string{}
	}
	l.seen[e.name] = e.state(err)
}

func (l *symlinks) all() map[string]string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return maps.Clone(l.seen)
}

// follow queues the links whose targets have changed, until ctx ends.
func (l *symlinks) follow(ctx context.Context, folder Folder, q *queue) {
	ticker := time.NewTicker(symlinkPoll)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		seen := l.all()
		if len(seen) == 0 {
			continue
		}
		root, err := folder.Open()
		if err != nil {
			continue // the mirror meets the same error and reports it
		}
		for name, before := range seen {
			e, err := folder.find(root, name)
			if e.state(err) != before {
				l.note(e, err)
				q.add(name)
			}
		}
		root.Close() //nolint:errcheck,gosec // a folder opened for reading has nothing to lose
	}
}
