package watch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/internal/document"
)

var errRefused = errors.New("is refused")

// texts is an index in memory. It refuses texts with the word that refuse has.
type texts struct {
	mu      sync.Mutex
	stamps  map[string]document.Stamp
	content map[string]string
	refuse  string
	indexed int
}

func newTexts() *texts {
	return &texts{stamps: map[string]document.Stamp{}, content: map[string]string{}}
}

func (x *texts) Known(context.Context) (map[string]document.Stamp, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	return maps.Clone(x.stamps), nil
}

func (x *texts) Index(_ context.Context, files []document.File) ([]document.Failure, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	var failures []document.Failure
	for _, file := range files {
		x.indexed++
		delete(x.stamps, file.Path)
		delete(x.content, file.Path)
		if x.refuse != "" && strings.Contains(string(file.Content), x.refuse) {
			failures = append(failures, document.Failure{Path: file.Path, Err: errRefused})
			continue
		}
		x.stamps[file.Path] = file.Stamp()
		x.content[file.Path] = string(file.Content)
	}
	return failures, nil
}

func (x *texts) Remove(_ context.Context, paths []string) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, path := range paths {
		delete(x.stamps, path)
		delete(x.content, path)
	}
	return nil
}

func (x *texts) Touch(_ context.Context, stamps map[string]document.Stamp) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	maps.Copy(x.stamps, stamps)
	return nil
}

// holds waits until the index holds just these texts.
func (x *texts) holds(t *testing.T, want map[string]string) {
	t.Helper()
	deadline := time.Now().Add(30 * time.Second)
	for {
		x.mu.Lock()
		got := maps.Clone(x.content)
		x.mu.Unlock()
		diff := cmp.Diff(want, got)
		if diff == "" {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("the index (-want +got):\n%.3000s", diff)
		}
		time.Sleep(2 * time.Millisecond) // between two looks
	}
}

// watched is a folder with a mirror that runs until the test ends.
type watched struct {
	dir    string
	index  *texts
	mirror *Mirror
	log    *lockedBuffer
}

// mirrored runs a mirror of a new folder. It walks the folder again only where
// config says so: what it is to notice, it has to be told of.
func mirrored(t *testing.T, config Config, files map[string]string) *watched {
	t.Helper()
	w := &watched{dir: filepath.Join(t.TempDir(), "docs"), index: newTexts(), log: &lockedBuffer{}}
	for name, content := range files {
		w.write(t, name, content)
	}
	config.Debounce = 5 * time.Millisecond
	config.Rescan = time.Hour
	folder := Folder{Dir: w.dir, MayBeMissing: true, Match: func(name string) bool { return filepath.Ext(name) == ".md" }}
	w.mirror = NewMirror(folder, w.index, config, slog.New(slog.NewTextHandler(w.log, nil)))
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { w.mirror.Run(ctx) })
	t.Cleanup(func() {
		cancel()
		running.Wait()
	})
	w.index.holds(t, files)
	return w
}

func (w *watched) write(t *testing.T, name, content string) {
	t.Helper()
	path := filepath.Join(w.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

type lockedBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

// More events than the kernel keeps while nobody reads them.
func TestMirror_LosesNoChangeWhenEventsOverflow(t *testing.T) {
	t.Parallel()
	setting, err := os.ReadFile("/proc/sys/fs/inotify/max_queued_events")
	if err != nil {
		t.Skip("no inotify here")
	}
	limit, err := strconv.Atoi(strings.TrimSpace(string(setting)))
	if err != nil {
		t.Fatal(err)
	}
	if limit > 100_000 {
		t.Skipf("the kernel keeps %d events", limit)
	}
	w := mirrored(t, Config{}, map[string]string{"a.md": "a", "b.md": "b", "gone.md": "gone"})

	const readAhead = 4096   // by fsnotify, at a time
	w.mirror.queue.mu.Lock() // holds the reader at its next event
	for i := range (limit + 2*readAhead) / 2 {
		w.write(t, "a.md", fmt.Sprint(i)) // two files: the kernel joins what is said twice of one
		w.write(t, "b.md", fmt.Sprint(i))
	}
	w.write(t, "b.md", "last")
	w.write(t, "new/unheard.md", "of this no event tells")
	if err := os.Remove(filepath.Join(w.dir, "gone.md")); err != nil {
		t.Fatal(err)
	}
	w.mirror.queue.mu.Unlock()
	last := fmt.Sprint((limit+2*readAhead)/2 - 1)
	want := map[string]string{"a.md": last, "b.md": "last", "new/unheard.md": "of this no event tells"}
	w.index.holds(t, want)
	if !strings.Contains(w.log.String(), "overflow") {
		t.Fatalf("no overflow was met, the test shows nothing; log:\n%s", w.log)
	}
	w.write(t, "new/unheard.md", "afterwards events tell again")
	want["new/unheard.md"] = "afterwards events tell again"
	w.index.holds(t, want)
}

func TestMirror_WalksWhatCannotBeWatched(t *testing.T) {
	t.Parallel()
	w := mirrored(t, Config{MaxDirs: 3, Poll: 10 * time.Millisecond}, map[string]string{"a.md": "a", "one/b.md": "b", "two/c.md": "c"})
	const notice = "cannot be watched; it is walked"
	if strings.Contains(w.log.String(), notice) {
		t.Fatalf("three folders can be watched; log:\n%s", w.log)
	}
	w.write(t, "three/d.md", "d")
	want := map[string]string{"a.md": "a", "one/b.md": "b", "two/c.md": "c", "three/d.md": "d"}
	w.index.holds(t, want)
	w.write(t, "three/d.md", "edited in the folder that is one too many")
	w.write(t, "one/b.md", "edited in another")
	want["three/d.md"], want["one/b.md"] = "edited in the folder that is one too many", "edited in another"
	w.index.holds(t, want)
	if !strings.Contains(w.log.String(), notice) {
		t.Errorf("nobody is told that the folder is walked instead; log:\n%s", w.log)
	}
}

func TestMirror_FolderThatAppearsLaterIsWatched(t *testing.T) {
	t.Parallel()
	w := mirrored(t, Config{}, map[string]string{})
	w.write(t, "a.md", "first")
	w.index.holds(t, map[string]string{"a.md": "first"})
	w.write(t, "a.md", "second")
	w.index.holds(t, map[string]string{"a.md": "second"})
	if err := os.RemoveAll(w.dir); err != nil {
		t.Fatal(err)
	}
	w.index.holds(t, map[string]string{})
	w.write(t, "sub/a.md", "third")
	w.index.holds(t, map[string]string{"sub/a.md": "third"})
	w.write(t, "sub/a.md", "fourth")
	w.index.holds(t, map[string]string{"sub/a.md": "fourth"})
}

// A file that could not be read may have become readable: its mode is then all
// that changes. What is indexed is not read again for its mode.
func TestMirror_ChangeOfModeConcernsFailedFilesAlone(t *testing.T) {
	t.Parallel()
	w := mirrored(t, Config{}, map[string]string{"good.md": "good"})
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
		if err := os.Chmod(filepath.Join(w.dir, name), 0o640); err != nil {
			t.Fatal(err)
		}
	}
	w.index.holds(t, map[string]string{"good.md": "good", "failed.md": "secret"})
	w.index.mu.Lock()
	defer w.index.mu.Unlock()
	if w.index.indexed != before+1 {
		t.Errorf("%d files were indexed for their mode, want the failed one alone", w.index.indexed-before)
	}
}
