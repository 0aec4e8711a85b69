package watch

import (
	"errors"
	"testing"
	"time"
)

// The watcher does not wait for a reader of its errors: it holds a lock while it sends one,
// and a mirror that adds or closes a watch needs that lock.
func TestNotifier_TakesErrorsAtOnce(t *testing.T) {
	t.Parallel()
	n, err := newNotifier(Folder{Dir: t.TempDir()}, newSchedule(time.Second, time.Second), 10)
	must(t, err)
	for range 3 {
		select {
		case n.watcher.Errors <- errors.ErrUnsupported:
		case <-time.After(5 * time.Second):
			t.Fatal("nobody takes the error")
		}
	}
	if err := <-n.errors; !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("the mirror gets %v", err)
	}
	if err := n.watcher.Close(); err != nil {
		t.Error(err)
	}
}
