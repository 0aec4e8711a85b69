package watch

import (
	"maps"
	"sync"
	"time"
)

// maxNamed bounds the changed files that are named. For more of them the folder is compared
// with the index itself.
const maxNamed = 1000

// queue says when a folder is to be walked: when it has changed and been quiet for a while.
// What changes during a walk is for the next one. Safe for concurrent use.
type queue struct {
	// debounce is how long the folder must be quiet, maxWait how long the walk of one that
	// never is may be put off.
	debounce, maxWait time.Duration
	// wake receives after every change; it holds one token.
	wake chan struct{}

	mu sync.Mutex
	// queued is set if there is to be a walk, and whole if that is to compare the folder
	// with the index itself.
	queued, whole bool
	// first and last are when the folder was first and last seen to change since the last
	// walk; zero for a walk that waits for nothing.
	first, last time.Time
	// changed are the files that were seen to change, and taken those for which a walk is
	// under way.
	changed, taken map[string]struct{}
	walking        bool
}

func newQueue(debounce, maxWait time.Duration) *queue {
	return &queue{debounce: debounce, maxWait: maxWait, wake: make(chan struct{}, 1), changed: map[string]struct{}{}}
}

// add queues a walk for when the folder is quiet. names are the files that have changed, as
// far as is known.
func (q *queue) add(names ...string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.last = time.Now()
	if !q.queued {
		q.queued, q.first = true, q.last
	}
	for _, name := range names {
		if len(q.changed) == maxNamed {
			q.whole = true
			break
		}
		q.changed[name] = struct{}{}
	}
	q.signal()
}

// addAll queues a walk that compares the folder with the index itself.
func (q *queue) addAll() {
	q.mu.Lock()
	q.whole = true
	q.mu.Unlock()
	q.add()
}

// addAllNow is addAll for a walk that waits for nothing.
func (q *queue) addAllNow() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.now()
}

func (q *queue) now() {
	q.queued, q.whole, q.first, q.last = true, true, time.Time{}, time.Time{}
	q.signal()
}

func (q *queue) signal() {
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

// pending is the number of files that have changed, as far as is known, and at least 1
// from a change to the end of the walk that finds it.
func (q *queue) pending() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	pending := 0
	if q.queued {
		pending = max(1, len(q.changed))
	}
	if q.walking {
		pending += max(1, len(q.taken))
	}
	return pending
}

// take returns whether a walk is due, which the caller ends with done: the files that have
// changed, or nil if it is to compare the folder with the index itself. wait is how long
// until one is due; it is negative when none is queued.
func (q *queue) take() (due bool, changed map[string]struct{}, wait time.Duration) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.queued {
		return false, nil, -1
	}
	at := q.last.Add(q.debounce)
	if latest := q.first.Add(q.maxWait); latest.Before(at) {
		at = latest
	}
	if wait = time.Until(at); wait > 0 {
		return false, nil, wait
	}
	q.taken, q.changed, q.walking = q.changed, map[string]struct{}{}, true
	if q.whole {
		q.taken = nil // the walk says itself how many there are
	}
	q.queued, q.whole = false, false
	return true, q.taken, -1
}

// done ends a walk. After a failure the next one compares the folder with the index itself.
func (q *queue) done(ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.walking = false; !ok {
		maps.Copy(q.changed, q.taken)
		q.now()
	}
}
