package watch

import (
	"sync"
	"time"
)

// maxDirty is the number of changed paths above which a walk of the whole folder
// is cheaper than looking at each.
const maxDirty = 1000

// queue collects changed paths until each has been quiet for a while. A path
// that changes again while it is worked on is simply queued again: the newest
// state of the file wins. Safe for concurrent use.
type queue struct {
	// debounce is how long a path must be quiet, maxWait how long one that never
	// is may be put off.
	debounce, maxWait time.Duration
	// wake receives after every change; it holds one token.
	wake chan struct{}

	mu sync.Mutex
	// dirty are the queued paths.
	dirty map[string]change
	// whole, if not nil, is a queued walk of the whole folder. The dirty paths are
	// handled by it.
	whole *change
	// taken is how much of what take returned is worked on, and pending until then.
	taken int
}

// change is when a path was first and last seen to change.
type change struct {
	first, last time.Time
}

// due is when the change is to be handled.
func (c change) due(debounce, maxWait time.Duration) time.Time {
	quiet, latest := c.last.Add(debounce), c.first.Add(maxWait)
	if latest.Before(quiet) {
		return latest
	}
	return quiet
}

func newQueue(debounce, maxWait time.Duration) *queue {
	return &queue{
		debounce: debounce, maxWait: maxWait,
		wake: make(chan struct{}, 1), dirty: map[string]change{},
	}
}

// add queues paths.
func (q *queue) add(paths ...string) {
	now := time.Now()
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, path := range paths {
		first := now
		if before, ok := q.dirty[path]; ok {
			first = before.first
		}
		q.dirty[path] = change{first: first, last: now}
	}
	switch {
	case q.whole != nil:
		q.whole.last = now
		if len(q.dirty) > maxDirty {
			clear(q.dirty)
		}
	case len(q.dirty) > maxDirty:
		q.wholeFolder(change{first: now, last: now})
	}
	q.signal()
}

// addAll queues a walk of the whole folder, for when that has become quiet.
func (q *queue) addAll() {
	now := time.Now()
	q.mu.Lock()
	defer q.mu.Unlock()
	seen := change{first: now, last: now}
	if q.whole != nil {
		seen.first = q.whole.first
	}
	q.wholeFolder(seen)
	q.signal()
}

// addAllNow queues a walk of the whole folder that waits for nothing.
func (q *queue) addAllNow() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.wholeFolder(change{})
	q.signal()
}

func (q *queue) wholeFolder(seen change) {
	q.whole = &seen
	clear(q.dirty)
}

func (q *queue) signal() {
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

// pending is the number of paths that are queued or worked on. A walk of the folder
// counts as one, and the paths that wait for it do not count.
func (q *queue) pending() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.whole != nil {
		return 1
	}
	return q.taken + len(q.dirty)
}

// done notes that what take returned has been handled, or queued again.
func (q *queue) done() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.taken = 0
}

// take removes and returns the paths that are due, or rescan for the whole folder; the
// caller then calls done. wait is how long until more is due; it is negative when nothing is.
// Paths that are due wait for others that changed a little later, for as long as each has
// to be quiet, so that what changes together is handled together.
func (q *queue) take() (paths []string, rescan bool, wait time.Duration) {
	now := time.Now()
	q.mu.Lock()
	defer q.mu.Unlock()
	wait = -1
	if q.whole != nil {
		if left := q.whole.due(q.debounce, q.maxWait).Sub(now); left > 0 {
			return nil, false, left
		}
		q.whole, q.taken = nil, 1
		clear(q.dirty)
		return nil, true, wait
	}
	var late time.Duration // of the path that has been due for longest
	for path, seen := range q.dirty {
		left := seen.due(q.debounce, q.maxWait).Sub(now)
		if left <= 0 {
			paths, late = append(paths, path), max(late, -left)
		} else if wait < 0 || left < wait {
			wait = left
		}
	}
	if len(paths) > 0 && wait > 0 && late < q.debounce {
		return nil, false, min(wait, q.debounce-late)
	}
	for _, path := range paths {
		delete(q.dirty, path)
	}
	q.taken = len(paths)
	return paths, false, wait
}
