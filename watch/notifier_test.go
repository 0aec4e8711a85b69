package watch

import (
	"errors"
	"strconv"
	"sync/atomic"
	"testing"
	"time"
)

// The watcher does not wait for a reader of its errors: it holds a lock while it sends one,
// and a mirror that adds or closes a watch needs that lock.
func TestNotifier_TakesErrorsAtOnce(t *testing.T) {
	t.Parallel()
	n, err := newNotifier(t.Context(), Folder{Dir: t.TempDir()}, newSchedule(time.Second, time.Second), 10)
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

// Many servers may watch a folder in which many files change. None wakes for each of them.
func TestMirror_WakesOnceForManyEvents(t *testing.T) {
	t.Parallel()
	var woken atomic.Int64
	files := map[string]string{"first.md": "first"}
	w := watchFiles(t, files, func(m *Mirror) {
		m.schedule.debounce, m.config.OnChange = time.Second, func() { woken.Add(1) }
	})
	woken.Store(0)
	const changed = 2000
	for i := range changed {
		name := strconv.Itoa(i) + ".md"
		files[name] = "changed"
		w.write(t, name, files[name])
	}
	if n := woken.Load(); n > changed/2 {
		t.Errorf("the mirror woke %d times for %d files", n, changed)
	}
	w.becomes(t, "after the changes", files, nil)
}
