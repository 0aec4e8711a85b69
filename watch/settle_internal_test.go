package watch

import (
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"
)

// A file was saved during a walk, behind its place in the list, and the event comes together with the end of the wait
// for events. The index does not count as current.
func TestSettle_HandlesAnEventThatIsThere(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	folder := Folder{Dir: dir, Match: func(string) bool { return true }}
	m := NewMirror(folder, nil, Config{Debounce: time.Hour, OnChange: func() {}}, slog.New(slog.DiscardHandler))
	events := make(chan fsnotify.Event, 1)
	n := &notifier{folder: folder, root: dir, schedule: m.schedule, events: events, watched: map[string]bool{}}
	m.schedule.addNow()
	if due, _, _ := m.schedule.take(); !due {
		t.Fatal("no walk is due")
	}
	m.settling = true
	events <- fsnotify.Event{Name: filepath.Join(dir, "late.md"), Op: fsnotify.Write}
	if err := m.settle(n); err != nil {
		t.Fatal(err)
	}
	if got := m.Status(); !m.settling || got.Queued != 2 || !got.Synced.IsZero() {
		t.Errorf("after the event: settling %t, %+v; want the walk and its successor pending", m.settling, got)
	}
	if err := m.settle(n); err != nil {
		t.Fatal(err)
	}
	if got := m.Status(); m.settling || got.Queued != 1 {
		t.Errorf("without an event: settling %t, %+v; want the next walk pending", m.settling, got)
	}
}
