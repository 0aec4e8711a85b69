package watch_test

import (
	"context"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/internal/document"
	"github.com/compound-docs/compound-docs/watch"
)

// library is an index in memory that a mirror fills while a test reads it.
type library struct {
	mu       sync.Mutex
	stamps   memory
	contents map[string]string
}

func newLibrary() *library { return &library{stamps: memory{}, contents: map[string]string{}} }

func (l *library) Known(ctx context.Context) (map[string]document.Stamp, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.stamps.Known(ctx)
}

func (l *library) Index(ctx context.Context, files []document.File) ([]document.Failure, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	failures, err := l.stamps.Index(ctx, files)
	for _, file := range files {
		delete(l.contents, file.Path)
		if _, indexed := l.stamps[file.Path]; indexed {
			l.contents[file.Path] = string(file.Content)
		}
	}
	return failures, err
}

func (l *library) Remove(ctx context.Context, paths []string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, path := range paths {
		delete(l.contents, path)
	}
	return l.stamps.Remove(ctx, paths)
}

func (l *library) Touch(ctx context.Context, stamps map[string]document.Stamp) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.stamps.Touch(ctx, stamps)
}

func (l *library) holds() map[string]string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return maps.Clone(l.contents)
}

// mirrored is a folder whose mirror runs until the test ends.
type mirrored struct {
	dir    string
	index  *library
	mirror *watch.Mirror
}

func mirror(t *testing.T, folder watch.Folder) *mirrored {
	t.Helper()
	folder.Match = func(name string) bool { return strings.HasSuffix(name, ".md") }
	index := newLibrary()
	m := &mirrored{dir: folder.Dir, index: index, mirror: watch.NewMirror(folder, index,
		watch.Config{Debounce: 10 * time.Millisecond, Rescan: time.Hour}, slog.New(slog.DiscardHandler))}
	ctx, stop := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { m.mirror.Run(ctx) })
	t.Cleanup(func() {
		stop()
		running.Wait()
	})
	return m
}

// failed returns the reasons of the failed files.
func (m *mirrored) failed() map[string]string {
	failed := map[string]string{}
	for _, file := range m.mirror.Status().Failed {
		failed[file.Path] = file.Err.Error()
	}
	return failed
}

// becomes waits until the index holds the contents and the files with the words
// have failed for a reason with them in it.
func (m *mirrored) becomes(t *testing.T, what string, contents, reasons map[string]string) {
	t.Helper()
	deadline := time.After(20 * time.Second)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		status := m.mirror.Status()
		failed := m.failed()
		for path, reason := range reasons {
			if strings.Contains(failed[path], reason) {
				failed[path] = reason
			}
		}
		diff := cmp.Diff(contents, m.index.holds()) + cmp.Diff(reasons, failed)
		if diff == "" && status.Pending() == 0 && !status.Synced.IsZero() {
			return
		}
		select {
		case <-deadline:
			t.Fatalf("%s: %d pending, waits for %v, contents and reasons (-want +got):\n%s", what, status.Pending(), status.Err, diff)
		case <-tick.C:
		}
	}
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func remove(t *testing.T, path string) {
	t.Helper()
	if err := os.RemoveAll(path); err != nil {
		t.Fatal(err)
	}
}
