package db

import (
	"context"
	"sync"
	"time"
)

// idleAfter is how long nobody uses a server until it is idle.
const idleAfter = time.Minute

// use is when somebody last used the server. Safe for concurrent use.
type use struct {
	mu      sync.Mutex
	last    time.Time
	resumed chan struct{} // closed and replaced when the server is used again
}

func newUse() *use { return &use{last: time.Now(), resumed: make(chan struct{})} }

// Used notes that somebody uses the server, and reports whether it was idle: then what it
// knows of the index may be some seconds old.
func (d *Database) Used() (wasIdle bool) {
	u := d.use
	u.mu.Lock()
	defer u.mu.Unlock()
	wasIdle = u.isIdle()
	u.last = time.Now()
	if wasIdle {
		close(u.resumed)
		u.resumed = make(chan struct{})
	}
	return wasIdle
}

// Idle reports whether nobody has used the server for a minute. It then asks the database
// only for its lease, and every few seconds.
func (d *Database) Idle() bool { return d.use.idle() }

func (u *use) idle() bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.isIdle()
}

func (u *use) isIdle() bool { return time.Since(u.last) > idleAfter }

// rest waits: for a shorter time while the server is in use. It ends when the server is
// used again, and with ctx.
func (u *use) rest(ctx context.Context, inUse, idle time.Duration) {
	u.mu.Lock()
	wait, resumed := inUse, u.resumed
	if u.isIdle() {
		wait = idle
	}
	u.mu.Unlock()
	select {
	case <-ctx.Done():
	case <-resumed:
	case <-time.After(wait):
	}
}
