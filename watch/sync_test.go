package watch_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/internal/document"
	"github.com/compound-docs/compound-docs/watch"
)

// memory is an index that refuses texts with the word "bad".
type memory map[string]document.Stamp

func (m memory) Known(context.Context) (map[string]document.Stamp, error) { return maps.Clone(m), nil }

func (m memory) Index(_ context.Context, files []document.File) ([]document.Failure, error) {
	var failures []document.Failure
	for _, file := range files {
		if strings.Contains(string(file.Content), "bad") {
			failures = append(failures, document.Failure{Path: file.Path, Err: errors.New("is bad")})
			delete(m, file.Path)
			continue
		}
		m[file.Path] = document.Stamp{Size: file.Size, ModTime: file.ModTime, Hash: sha256.Sum256(file.Content)}
	}
	return failures, nil
}

func (m memory) Remove(_ context.Context, paths []string) error {
	for _, path := range paths {
		delete(m, path)
	}
	return nil
}

func (m memory) Touch(_ context.Context, stamps map[string]document.Stamp) error {
	maps.Copy(m, stamps)
	return nil
}

func TestSync_CountsAndKeepsToItsPrefix(t *testing.T) {
	t.Parallel()
	index := memory{"book2/other.md": {}, "bookmark.md": {}, "elsewhere.md": {}}
	dir := t.TempDir()
	put := func(name, content string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	sync := func(want watch.SyncResult, wantFailed string) {
		t.Helper()
		folder := watch.Folder{Dir: dir, Prefix: "book", Match: func(string) bool { return true }}
		var reported [2]int
		synced, err := watch.Sync(t.Context(), folder, index, func(done, total int) { reported = [2]int{done, total} })
		if err != nil {
			t.Fatal(err)
		}
		failed := []string{}
		for _, failure := range synced.Failed {
			failed = append(failed, failure.Path)
		}
		synced.Failed = nil
		if diff := cmp.Diff(want, synced); diff != "" {
			t.Errorf("synced (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(wantFailed, strings.Join(failed, " ")); diff != "" {
			t.Errorf("failed (-want +got):\n%s", diff)
		}
		if reported[0] != reported[1] {
			t.Errorf("the last report is %d of %d", reported[0], reported[1])
		}
	}

	for _, name := range []string{"kept.md", "changed.md", "gone.md", "spoilt.md", "replaced.md"} {
		put(name, "text of "+name)
	}
	put("never.md", "bad")
	sync(watch.SyncResult{Added: 5}, "book/never.md")

	put("changed.md", "another text")
	put("spoilt.md", "bad by now")
	put("new.md", "new")
	for _, name := range []string{"gone.md", "replaced.md"} {
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	// What is no document: the index must not answer from what it was.
	if err := os.Symlink(filepath.Join(t.TempDir(), "outside"), filepath.Join(dir, "replaced.md")); err != nil {
		t.Fatal(err)
	}
	sync(watch.SyncResult{Added: 1, Updated: 1, Removed: 2, Unchanged: 1}, "book/never.md book/replaced.md book/spoilt.md")

	want := []string{
		"book/changed.md", "book/kept.md", "book/new.md", "book2/other.md", "bookmark.md", "elsewhere.md",
	}
	if diff := cmp.Diff(want, slices.Sorted(maps.Keys(index))); diff != "" {
		t.Errorf("index (-want +got):\n%s", diff)
	}
}
