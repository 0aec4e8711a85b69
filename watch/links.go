package watch

import (
	"context"
	"fmt"
	"maps"
	"sync"
	"time"
)

// linkPoll is how often the targets of symbolic links are looked at.
const linkPoll = time.Second

// links are a folder's symbolic links to documents. What becomes of a target is
// no event of the link, so they are looked at from time to time. Safe for
// concurrent use.
type links struct {
	mu sync.Mutex
	// seen is what each link led to when it was last handled, by its path in the
	// folder.
	seen map[string]string
}

// state tells one state of a link's target from another. err is what look said.
func (e entry) state(err error) string {
	if err != nil {
		return err.Error()
	}
	return fmt.Sprint(e.stamp.Size, e.stamp.ModTime.UnixNano(), e.stamp.ChangeTime.UnixNano(), e.stamp.Inode)
}

func (l *links) replace(seen map[string]string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.seen = seen
}

// note keeps in mind what a path led to when it was handled, or forgets it if it
// is no link.
func (l *links) note(e entry, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !e.linked {
		delete(l.seen, e.name)
		return
	}
	if l.seen == nil {
		l.seen = map[string]string{}
	}
	l.seen[e.name] = e.state(err)
}

func (l *links) all() map[string]string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return maps.Clone(l.seen)
}

// follow queues the links whose targets have changed, until ctx ends.
func (l *links) follow(ctx context.Context, folder Folder, q *queue) {
	ticker := time.NewTicker(linkPoll)
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
		root, err := folder.open()
		if err != nil {
			continue // the mirror meets the same, and says so
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
