package watch

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/internal/document"
)

func TestSync_CountsAndKeepsToItsPrefix(t *testing.T) {
	t.Parallel()
	index := newTexts()
	index.refuse = "bad"
	index.stamps = map[string]document.Stamp{"book2/other.md": {}, "bookmark.md": {}, "elsewhere.md": {}}
	dir := t.TempDir()
	put := func(name, content string) {
		t.Helper()
		write(t, filepath.Join(dir, name), content)
	}
	sync := func(want SyncResult, wantFailed string) {
		t.Helper()
		folder := Folder{Dir: dir, Prefix: "book", Match: func(string) bool { return true }}
		var reported [2]int
		synced, err := Sync(t.Context(), folder, index, alwaysReady, func(done, total int) { reported = [2]int{done, total} })
		must(t, err)
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
	sync(SyncResult{Added: 5}, "book/never.md")

	put("changed.md", "another text")
	put("spoilt.md", "bad by now")
	put("new.md", "new")
	for _, name := range []string{"gone.md", "replaced.md"} {
		must(t, os.Remove(filepath.Join(dir, name)))
	}
	// A link is no document: the index must not answer from the file before.
	must(t, os.Symlink(filepath.Join(t.TempDir(), "outside"), filepath.Join(dir, "replaced.md")))
	sync(SyncResult{Added: 1, Updated: 1, Removed: 2, Unchanged: 1}, "book/never.md book/replaced.md book/spoilt.md")

	want := []string{
		"book/changed.md", "book/kept.md", "book/new.md", "book2/other.md", "bookmark.md", "elsewhere.md",
	}
	if diff := cmp.Diff(want, slices.Sorted(maps.Keys(index.stamps))); diff != "" {
		t.Errorf("index (-want +got):\n%s", diff)
	}
}

// A folder is watched when the walk enters it. The walk finds what came into the folder until then, and a later change has
// an event.
func TestReconciler_EntersAFolderBeforeItReadsIt(t *testing.T) {
	t.Parallel()
	dir, index := t.TempDir(), newTexts()
	write(t, filepath.Join(dir, "one", "a.md"), "a")
	var entered []string
	walk := &reconciler{
		folder: Folder{Dir: dir, Match: func(string) bool { return true }}, indexer: index, whole: true,
		indexed: index.Known, ready: alwaysReady, report: noReport,
		enter: func(folder string) {
			entered = append(entered, folder)
			if len(entered) < 4 {
				write(t, filepath.Join(dir, folder, "new", "late.md"), "late")
			}
		},
	}
	_, err := walk.run(t.Context())
	must(t, err)
	if diff := cmp.Diff([]string{".", "new", "new/new", "new/new/new", "one"}, entered); diff != "" {
		t.Errorf("entered (-want +got):\n%s", diff)
	}
	want := map[string]string{"new/late.md": "late", "new/new/late.md": "late", "new/new/new/late.md": "late", "one/a.md": "a"}
	if diff := cmp.Diff(want, index.contents()); diff != "" {
		t.Errorf("index (-want +got):\n%s", diff)
	}
}
