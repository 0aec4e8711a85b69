package watch

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/compound-docs/compound-docs/test/testenv"
)

// More events than the kernel keeps while nobody reads them.
func TestMirror_LosesNoChangeWhenEventsOverflow(t *testing.T) {
	testenv.Slow(t, "hundreds of files change at once")
	t.Parallel()
	setting, err := os.ReadFile("/proc/sys/fs/inotify/max_queued_events")
	if err != nil {
		t.Skip("no inotify here")
	}
	limit, err := strconv.Atoi(strings.TrimSpace(string(setting)))
	must(t, err)
	if limit > 100_000 {
		t.Skipf("the kernel keeps %d events", limit)
	}
	w := watchFiles(t, map[string]string{"a.md": "a", "b.md": "b", "gone.md": "gone"})

	const readAhead = 4096      // by fsnotify, at a time
	w.mirror.schedule.mu.Lock() // holds the reader at its next event
	for i := range (limit + 2*readAhead) / 2 {
		w.write(t, "a.md", fmt.Sprint(i)) // two files: the kernel joins equal events of one
		w.write(t, "b.md", fmt.Sprint(i))
	}
	w.write(t, "b.md", "last")
	w.write(t, "new/unheard.md", "of this no event tells")
	must(t, os.Remove(filepath.Join(w.dir, "gone.md")))
	w.mirror.schedule.mu.Unlock()
	last := fmt.Sprint((limit+2*readAhead)/2 - 1)
	want := map[string]string{"a.md": last, "b.md": "last", "new/unheard.md": "of this no event tells"}
	w.becomes(t, "after the overflow", want, nil)
	for deadline := time.After(20 * time.Second); !strings.Contains(w.log.String(), "overflow"); {
		select {
		case <-deadline:
			t.Fatalf("no overflow was met, the test shows nothing; log:\n%s", w.log)
		case <-time.After(5 * time.Millisecond): // the walk may come before the events are read
		}
	}
	w.write(t, "new/unheard.md", "afterwards events tell again")
	want["new/unheard.md"] = "afterwards events tell again"
	w.becomes(t, "told by an event", want, nil)
}

// A write that failed is repeated when the index is there again, without another event and without
// a walk.
func TestMirror_TriesAgainWhatFailed(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(t *testing.T, w *watched){
		"a file that changes":  func(t *testing.T, w *watched) { t.Helper(); w.write(t, "a.md", "b") },
		"a file that is added": func(t *testing.T, w *watched) { t.Helper(); w.write(t, "b.md", "b") },
		"a file that is removed": func(t *testing.T, w *watched) {
			t.Helper()
			remove(t, filepath.Join(w.dir, "a.md"))
		},
		"a walk": func(t *testing.T, w *watched) { t.Helper(); w.mirror.Rescan() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			changed := make(chan struct{}, 1)
			w := watchFiles(t, map[string]string{"a.md": "a"}, func(m *Mirror) {
				m.config.OnChange = func() {
					select {
					case changed <- struct{}{}:
					default:
					}
				}
			})
			w.index.setAway(true)
			change(t, w)
			for !errors.Is(w.mirror.Status().Err, errAway) {
				<-changed
			}
			w.index.setAway(false)
			want := map[string]string{}
			for _, file := range []string{"a.md", "b.md"} {
				if content, err := os.ReadFile(filepath.Join(w.dir, file)); err == nil {
					want[file] = string(content)
				}
			}
			w.becomes(t, "when the index is there again", want, nil)
			if status := w.mirror.Status(); status.Err != nil {
				t.Errorf("the status still has the error %v", status.Err)
			}
		})
	}
}

// The event of a change may come before the file is read, and none after it.
func TestMirror_ReadsAgainWhatHasChangedMeanwhile(t *testing.T) {
	t.Parallel()
	w := watchFiles(t, map[string]string{"a.md": "a"})
	for what, change := range map[string]func(){
		"told by an event": func() { w.write(t, "a.md", "b") },
		"found by a walk":  w.mirror.Rescan,
	} {
		w.index.mu.Lock()
		w.index.changing = 2
		clear(w.index.stamps)
		clear(w.index.content)
		w.index.mu.Unlock()
		change()
		content, err := os.ReadFile(filepath.Join(w.dir, "a.md"))
		must(t, err)
		w.becomes(t, what, map[string]string{"a.md": string(content)}, nil)
		w.index.mu.Lock()
		if w.index.changing != 0 {
			t.Errorf("%s: the file is not read again", what)
		}
		w.index.mu.Unlock()
	}
}

func TestMirror_WalksWhatCannotBeWatched(t *testing.T) {
	t.Parallel()
	w := watchFiles(t, map[string]string{"a.md": "a", "one/b.md": "b", "two/c.md": "c"}, func(m *Mirror) {
		m.maxWatched, m.poll = 3, 10*time.Millisecond
	})
	const notice = "cannot be watched; it is walked"
	if strings.Contains(w.log.String(), notice) {
		t.Fatalf("three folders can be watched; log:\n%s", w.log)
	}
	w.write(t, "three/d.md", "d")
	want := map[string]string{"a.md": "a", "one/b.md": "b", "two/c.md": "c", "three/d.md": "d"}
	w.becomes(t, "one folder too many", want, nil)
	w.write(t, "three/d.md", "edited in the folder that is one too many")
	w.write(t, "one/b.md", "edited in another")
	want["three/d.md"], want["one/b.md"] = "edited in the folder that is one too many", "edited in another"
	w.becomes(t, "walked", want, nil)
	if !strings.Contains(w.log.String(), notice) {
		t.Errorf("nobody is told that the folder is walked instead; log:\n%s", w.log)
	}
}

// A file that could not be read may have become readable: its mode is then all
// that changes. What is indexed is not read again for its mode.
func TestMirror_ChangeOfModeConcernsFailedFilesAlone(t *testing.T) {
	t.Parallel()
	w := watchFiles(t, map[string]string{"good.md": "good"})
	w.index.mu.Lock()
	w.index.refuse = "secret"
	w.index.mu.Unlock()
	w.write(t, "failed.md", "secret")
	for len(w.mirror.Status().Failed) == 0 {
		time.Sleep(time.Millisecond)
	}
	w.index.mu.Lock()
	w.index.refuse = ""
	before := w.index.indexed
	w.index.mu.Unlock()
	for _, name := range []string{"good.md", "failed.md"} {
		must(t, os.Chmod(filepath.Join(w.dir, name), 0o640))
	}
	w.becomes(t, "all can be indexed", map[string]string{"good.md": "good", "failed.md": "secret"}, nil)
	w.index.mu.Lock()
	defer w.index.mu.Unlock()
	if w.index.indexed != before+1 {
		t.Errorf("%d files were indexed for their mode, want the failed one alone", w.index.indexed-before)
	}
}
