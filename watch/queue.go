package watch

import (
	"sync"
	"time"
)

// queue says when the next walk of a folder is due: once the folder has changed, and been
// quiet for a while. The next walk finds what changes during one. Safe for concurrent use.
type queue struct {
	// debounce is how long the folder must be quiet, maxWait how long the walk of one that
	// never is may be put off.
	debounce, maxWait time.Duration
	// wake receives after every change; it holds one token.
	wake chan struct{}

	mu      sync.Mutex
	queued  bool
	walking bool
	// whole is set if the next walk compares the folder with the index itself.
	whole bool
	// due is when the next walk begins, and latest until when changes may put that off.
	due, latest time.Time
}

func newQueue(debounce, maxWait time.Duration) *queue {
	return &queue{debounce: debounce, maxWait: maxWait, wake: make(chan struct{}, 1)}
}

// add queues a walk for when the folder is quiet. If whole is set, that compares the folder
// with the index itself.
func (q *queue) add(whole bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	now := time.Now()
	if !q.queued {
		q.latest = now.Add(q.maxWait)
	}
	q.due = now.Add(q.debounce)
	if q.latest.Before(q.due) {
		q.due = q.latest
	}
	q.put(whole)
}

// addWhole is add for callers that ask often: it does not put off a walk that is queued.
func (q *queue) addWhole() {
	q.mu.Lock()
	queued := q.queued
	q.whole = q.whole || queued
	q.mu.Unlock()
	if !queued {
		q.add(true)
	}
}

// addNow queues a walk that waits for nothing.
func (q *queue) addNow() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.due = time.Now()
	q.latest = q.due
	q.put(true)
}

func (q *queue) put(whole bool) {
	q.queued, q.whole = true, q.whole || whole
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
// compare the folder with the index itself. wait is how long until one is due.
func (q *queue) take() (due, whole bool, wait time.Duration) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.queued {
		return false, false, forever
	}
	if wait = time.Until(q.due); wait > 0 {
		return false, false, wait
	}
	whole = q.whole
	q.queued, q.whole, q.walking = false, false, true
	return true, whole, 0
}

// forever is longer than any wait.
const forever = time.Duration(1 << 62)

// done ends a walk. After a failure the next one compares the folder with the index itself.
func (q *queue) done(ok bool) {
	q.mu.Lock()
	q.walking = false
	q.mu.Unlock()
	if !ok {
		q.addNow()
	}
}
