// Package await has a test wait for what other goroutines and processes bring about.
package await

import (
	"testing"
	"time"
)

// Patience is what anything may take that is right, on a machine that runs many tests.
const Patience = 2 * time.Minute

// How long a test waits between two looks: a fiftieth of what it has waited, so that what
// is quick costs no time, and what is slow no processor.
const (
	shortest = time.Millisecond
	longest  = 100 * time.Millisecond
	share    = 50
)

// Until returns when the condition holds. It ends the test after Patience, with the message "not
// within 2m0s: " and what.
func Until(t testing.TB, what string, holds func() bool) {
	t.Helper()
	Within(t, what, Patience, holds)
}

// Within is Until with another limit.
func Within(t testing.TB, what string, limit time.Duration, holds func() bool) {
	t.Helper()
	began := time.Now()
	for !holds() {
		waited := time.Since(began)
		if waited > limit {
			t.Fatalf("not within %s: %s", limit, what)
		}
		time.Sleep(min(max(waited/share, shortest), longest))
	}
}
