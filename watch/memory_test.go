package watch

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/compound-docs/compound-docs/internal/document"
	"github.com/compound-docs/compound-docs/test/testenv"
)

// maxMemory is how many bytes of live heap a reconciliation may take for each
// file: 90 MB for 100,000. The table of a map may be half empty.
const maxMemory = 900

// sink is an index that keeps only a database's records of it, and measures memory at each call.
type sink struct {
	known func() map[string]document.Stamp

	mu      sync.Mutex
	indexed int
	calls   int
	peak    uint64 // live heap, in bytes
}

func (s *sink) Known(context.Context) (map[string]document.Stamp, error) {
	known := s.known()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.measure()
	return known, nil
}

func (s *sink) Index(_ context.Context, files []document.File) ([]document.Failure, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.indexed += len(files)
	s.calls++
	if s.calls%200 == 1 {
		s.measure()
	}
	return nil, nil
}

func (s *sink) Remove(context.Context, []string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.measure()
	return nil
}

func (s *sink) Touch(context.Context, map[string]document.Stamp) error { return nil }

func (s *sink) measure() { s.peak = max(s.peak, liveHeap()) }

func liveHeap() uint64 {
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.HeapAlloc
}

// manyFiles makes documents of 2 KB in folders of 100, and returns what an index
// of them knows.
func manyFiles(t *testing.T, dir string, count int) func() map[string]document.Stamp {
	t.Helper()
	old := time.Now().Add(-time.Hour).Truncate(time.Microsecond)
	content := []byte(strings.Repeat("A line of some forty characters of text.\n", 50))
	names := make([]string, count)
	original := ""
	for i := range names {
		names[i] = fmt.Sprintf("folder-%04d/document-%06d.md", i/100, i)
		path := filepath.Join(dir, names[i])
		if i%100 == 0 {
			if err := os.Mkdir(filepath.Dir(path), 0o750); err != nil {
				t.Fatal(err)
			}
		}
		// Hard links are made faster than files; one file has 65,000 at most.
		if i%10_000 != 0 {
			if err := os.Link(original, path); err != nil {
				t.Fatal(err)
			}
			continue
		}
		original = path
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, old, old); err != nil {
			t.Fatal(err)
		}
	}
	stamps := make([]document.Stamp, count)
	for i, name := range names {
		file, err := Folder{Dir: dir}.Read(name)
		if err != nil {
			t.Fatal(err)
		}
		stamps[i] = file.Stamp()
	}
	return func() map[string]document.Stamp {
		known := make(map[string]document.Stamp, count)
		for i, name := range names {
			known[strings.Clone(name)] = stamps[i]
		}
		return known
	}
}

// A reconciliation holds names and stamps of all files, and the text of one batch: its memory does
// not grow with the size of the files.
//
//nolint:paralleltest // other tests' memory must not be counted
func TestSync_MemoryIsBounded(t *testing.T) {
	testenv.Slow(t, "memory and processor time are measured")
	count := 100_000
	if testing.Short() {
		count = 10_000
	}
	dir := t.TempDir()
	known := manyFiles(t, dir, count)
	folder := Folder{Dir: dir, Match: func(name string) bool { return strings.HasSuffix(name, ".md") }}
	tests := []struct {
		name    string
		known   func() map[string]document.Stamp
		indexed int
	}{
		{"unchanged", known, 0},
		{"all changed", func() map[string]document.Stamp {
			changed := known()
			for name, stamp := range changed {
				changed[name] = document.Stamp{Size: stamp.Size + 1, ModTime: stamp.ModTime}
			}
			return changed
		}, count},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			before := liveHeap()
			index := &sink{known: test.known}
			started := time.Now()
			synced, err := Sync(t.Context(), folder, index, nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			if index.indexed != test.indexed || synced.Documents() != count {
				t.Errorf("%d indexed of %d, want %d of %d", index.indexed, synced.Documents(), test.indexed, count)
			}
			used := index.peak - min(before, index.peak)
			t.Logf("%d files: %.1f MB, %d bytes a file, %s", count, float64(used)/(1<<20), used/uint64(count), time.Since(started))
			if most := maxMemory*count + concurrentBatches()*batchBytes; used > uint64(most) {
				t.Errorf("%d bytes of live heap, more than %d a file and the text of %d batches", used, maxMemory, concurrentBatches())
			}
		})
	}
}
