package watch

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/compound-docs/compound-docs/internal/document"
	"github.com/compound-docs/compound-docs/test/gitrepo"
	"github.com/compound-docs/compound-docs/test/tail"
)

var errRefused = errors.New("is refused")

var errAway = errors.New("is away")

// texts is an index in memory. It refuses texts with the word that refuse has, and every
// call while it is away. The next files have changed since they were read, as many as
// changing says.
type texts struct {
	mu       sync.Mutex
	stamps   map[string]document.Stamp
	content  map[string]string
	refuse   string
	away     bool
	changing int
	indexed  int
}

func newTexts() *texts {
	return &texts{stamps: map[string]document.Stamp{}, content: map[string]string{}}
}

func (x *texts) Known(context.Context) (map[string]document.Stamp, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.away {
		return nil, errAway
	}
	return maps.Clone(x.stamps), nil
}

func (x *texts) Index(_ context.Context, files []document.File) ([]document.Failure, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.away {
		return nil, errAway
	}
	var failures []document.Failure
	for _, file := range files {
		if x.changing > 0 {
			x.changing--
			failures = append(failures, document.Failure{Path: file.Path, Err: document.ErrChanged})
			continue
		}
		x.indexed++
		delete(x.stamps, file.Path)
		delete(x.content, file.Path)
		if x.refuse != "" && strings.Contains(string(file.Content), x.refuse) {
			failures = append(failures, document.Failure{Path: file.Path, Err: errRefused})
			continue
		}
		x.stamps[file.Path] = file.Stamp
		x.content[file.Path] = string(file.Content)
	}
	return failures, nil
}

func (x *texts) Remove(_ context.Context, paths []string) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.away {
		return errAway
	}
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

func (x *texts) setAway(away bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.away = away
}

func (x *texts) contents() map[string]string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return maps.Clone(x.content)
}

// watched is a folder with a mirror that runs until the test ends.
type watched struct {
	dir    string
	index  *texts
	mirror *Mirror
	log    *tail.Whole
}

// watchFiles runs a mirror of a new folder, and returns when it holds the files.
func watchFiles(t *testing.T, files map[string]string, change ...func(*Mirror)) *watched {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "docs")
	for name, content := range files {
		write(t, filepath.Join(dir, filepath.FromSlash(name)), content)
	}
	w := watchFolder(t, Folder{Dir: dir, MayBeMissing: true}, change...)
	w.becomes(t, "at first", files, nil)
	return w
}

// watchFolder runs a mirror of the markdown files of a folder. It does not walk the folder again by
// itself: it sees only changes with an event.
func watchFolder(t *testing.T, folder Folder, change ...func(*Mirror)) *watched {
	t.Helper()
	folder.Match = func(name string) bool { return strings.HasSuffix(name, ".md") }
	w := &watched{dir: folder.Dir, index: newTexts(), log: &tail.Whole{}}
	w.mirror = newMirror(folder, w.index, slog.New(slog.NewTextHandler(w.log, nil)))
	for _, f := range change {
		f(w.mirror)
	}
	runUntilTheEnd(t, w.mirror.Run)
	return w
}

// newMirror returns a mirror that only walks after events.
func newMirror(folder Folder, index Indexer, logger *slog.Logger) *Mirror {
	m := NewMirror(folder, index, Config{
		Debounce: 5 * time.Millisecond, Ready: func() error { return nil }, OnChange: func() {},
	}, logger)
	m.rescan = time.Hour
	return m
}

func runUntilTheEnd(t *testing.T, run func(ctx context.Context)) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { run(ctx) })
	t.Cleanup(func() {
		cancel()
		running.Wait()
	})
}

func (w *watched) write(t *testing.T, name, content string) {
	t.Helper()
	write(t, filepath.Join(w.dir, filepath.FromSlash(name)), content)
}

// failed returns the reasons of the failed files.
func (w *watched) failed() map[string]string {
	failed := map[string]string{}
	for _, file := range w.mirror.Status().Failed {
		failed[file.Path] = file.Err.Error()
	}
	return failed
}

// becomes waits until the index holds the contents and the files with the words
// have failed for a reason with them in it.
func (w *watched) becomes(t *testing.T, what string, contents, reasons map[string]string) {
	t.Helper()
	deadline := time.After(20 * time.Second)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		status := w.mirror.Status()
		failed := w.failed()
		for path, reason := range reasons {
			if strings.Contains(failed[path], reason) {
				failed[path] = reason
			}
		}
		diff := cmp.Diff(contents, w.index.contents()) + cmp.Diff(reasons, failed, cmpopts.EquateEmpty())
		if diff == "" && pending(status) == 0 && !status.Synced.IsZero() {
			return
		}
		select {
		case <-deadline:
			t.Fatalf("%s: %d pending, waits for %v, contents and reasons (-want +got):\n%s", what, pending(status), status.Err, diff)
		case <-tick.C:
		}
	}
}

func write(t *testing.T, path, content string) {
	t.Helper()
	gitrepo.At(t, filepath.Dir(path)).Put(filepath.Base(path), content)
}

func remove(t *testing.T, path string) {
	t.Helper()
	must(t, os.RemoveAll(path))
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// pending counts the changes that are not in the index yet.
func pending(s Progress) int { return s.Total - s.Done + s.Queued }

func alwaysReady() error { return nil }

func noReport(int, int) {}
