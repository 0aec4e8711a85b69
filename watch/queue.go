package watch

import (
	"sync"
	"time"
)

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
	// walk. For a walk that waits for nothing first is zero.
	first, last time.Time
	walking     bool // a walk is under way
}

func newQueue(debounce, maxWait time.Duration) *queue {
	return &queue{debounce: debounce, maxWait: maxWait, wake: make(chan struct{}, 1)}
}

// add queues a walk for when the folder is quiet.
func (q *queue) add() { q.put(false, false) }

// addAll queues a walk that compares the folder with the index itself.
func (q *queue) addAll() { q.put(true, false) }

// addAllNow is addAll for a walk that waits for nothing.
func (q *queue) addAllNow() { q.put(true, true) }

func (q *queue) put(whole, now bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.last = time.Now()
	if !q.queued {
		q.queued, q.first = true, q.last
	}
	if now {
		q.first = time.Time{}
	}
	q.whole = q.whole || whole
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

// pending is 1 from a change to the beginning of the walk that finds it, and 1 during a walk:
// nobody knows yet how many files have changed.
func (q *queue) pending() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	pending := 0
	if q.queued {
		pending++
	}
	if q.walking {
		pending++
	}
	return pending
}

// take returns whether a walk is due, which the caller ends with done, and whether that is to
// compare the folder with the index itself. wait is how long until one is due; it is negative
// when none is queued.
func (q *queue) take() (due, whole bool, wait time.Duration) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.queued {
		return false, false, -1
	}
	at := q.last.Add(q.debounce)
	if latest := q.first.Add(q.maxWait); latest.Before(at) {
		at = latest
	}
	if wait = time.Until(at); wait > 0 {
		return false, false, wait
	}
	whole = q.whole
	q.queued, q.whole, q.walking = false, false, true
	return true, whole, -1
}

// done ends a walk. After a failure the next one compares the folder with the index itself.
func (q *queue) done(ok bool) {
	q.mu.Lock()
	q.walking = false
	q.mu.Unlock()
	if !ok {
		q.addAllNow()
	}
}
