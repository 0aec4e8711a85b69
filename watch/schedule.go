package watch

import (
	"sync"
	"time"
)

// schedule says when the next walk of a folder is due. After a change, this is when no other change has come for the
// time debounce. A change during a walk leads to another walk. Safe for concurrent use.
type schedule struct {
	debounce time.Duration // how long the folder must be quiet before a walk
	maxWait  time.Duration // how long changes can put off a walk
	wake     chan struct{} // holds a token after a change

	mu      sync.Mutex
	queued  bool
	walking bool
	whole   bool      // the next walk asks the index which files it holds
	due     time.Time // when the next walk begins
	latest  time.Time // the latest time for due, whatever changes
}

func newSchedule(debounce, maxWait time.Duration) *schedule {
	return &schedule{debounce: debounce, maxWait: maxWait, wake: make(chan struct{}, 1)}
}

// add queues a walk that begins when the folder has had no change for the time debounce.
func (q *schedule) add(whole bool) {
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

// addWhole queues a whole walk. A walk in the queue becomes whole and is not delayed, so callers may ask often.
func (q *schedule) addWhole() {
	q.mu.Lock()
	queued := q.queued
	q.whole = q.whole || queued
	q.mu.Unlock()
	if !queued {
		q.add(true)
	}
}

// addNow queues a walk of the whole folder that is due immediately.
func (q *schedule) addNow() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.due = time.Now()
	q.latest = q.due
	q.put(true)
}

func (q *schedule) put(whole bool) {
	q.queued, q.whole = true, q.whole || whole
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

// pending counts a queued walk and a running walk as one change each. The number of changed files is not known yet.
func (q *schedule) pending() int {
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

// take begins a walk if one is due. The caller must end the walk with done. Otherwise wait is the time until the walk.
func (q *schedule) take() (due, whole bool, wait time.Duration) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.queued {
		return false, false, forever
	}
	wait = time.Until(q.due)
	if wait > 0 {
		return false, false, wait
	}
	whole = q.whole
	q.queued, q.whole, q.walking = false, false, true
	return true, whole, 0
}

// forever is longer than any wait.
const forever = time.Duration(1 << 62)

// done ends a walk. If the walk has failed, a whole walk is due at once.
func (q *schedule) done(ok bool) {
	q.mu.Lock()
	q.walking = false
	q.mu.Unlock()
	if !ok {
		q.addNow()
	}
}
