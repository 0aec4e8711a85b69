package watch

import (
	"crypto/sha256"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/internal/document"
)

// The stamps of an index are compared with the folder after each change.
func TestFolder_ChangedAndPresent(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	folder := Folder{
		Dir: dir, Prefix: "book",
		Match: func(name string) bool { return strings.HasSuffix(name, ".md") },
		Prune: func(dir string) bool { return dir == "pruned" },
	}
	stamps := map[string]document.Stamp{"elsewhere.md": {}, "book/never.md": {}}
	for _, name := range []string{"a.md", "sub/b.md", "pruned/c.md", ".hidden/d.md", "e.txt"} {
		write(t, filepath.Join(dir, filepath.FromSlash(name)), "text of "+name)
		stamps["book/"+name] = document.Stamp{Hash: sha256.Sum256([]byte("text of " + name))}
	}
	known := []string{
		"book/.hidden/d.md", "book/a.md", "book/e.txt", "book/never.md", "book/pruned/c.md", "book/sub/b.md", "elsewhere.md",
	}
	foreign := []string{"book/.hidden/d.md", "book/e.txt", "book/never.md", "book/pruned/c.md", "elsewhere.md"}
	steps := []struct {
		name             string
		change           func() error
		changed, present []string
	}{
		{
			"nothing", func() error { return nil },
			foreign,
			[]string{"book/a.md", "book/sub/b.md"},
		},
		{
			"the same bytes, written again", func() error { return os.WriteFile(filepath.Join(dir, "a.md"), []byte("text of a.md"), 0o600) },
			foreign,
			[]string{"book/a.md", "book/sub/b.md"},
		},
		{
			"other bytes of the same size", func() error { return os.WriteFile(filepath.Join(dir, "a.md"), []byte("TEXT of a.md"), 0o600) },
			append([]string{"book/a.md"}, foreign...),
			[]string{"book/a.md", "book/sub/b.md"},
		},
		{
			"a file removed", func() error { return os.Remove(filepath.Join(dir, "sub", "b.md")) },
			append([]string{"book/a.md", "book/sub/b.md"}, foreign...),
			[]string{"book/a.md"},
		},
		{
			"what is no document in its place", func() error { return os.Symlink("../.hidden/d.md", filepath.Join(dir, "sub", "b.md")) },
			append([]string{"book/a.md", "book/sub/b.md"}, foreign...),
			[]string{"book/a.md"},
		},
		// Nothing is known to be gone: a file system that is not mounted looks like this.
		{"the folder removed", func() error { return os.RemoveAll(dir) }, known, known},
	}
	for _, step := range steps {
		must(t, step.change())
		if diff := cmp.Diff(slices.Sorted(slices.Values(step.changed)), slices.Sorted(slices.Values(folder.Changed(stamps)))); diff != "" {
			t.Errorf("%s: changed (-want +got):\n%s", step.name, diff)
		}
		if diff := cmp.Diff(step.present, folder.Present(known)); diff != "" {
			t.Errorf("%s: present (-want +got):\n%s", step.name, diff)
		}
	}
	folder.MayBeMissing = true
	if present := folder.Present(known); len(present) > 0 {
		t.Errorf("a folder that may be missing has %q, want nothing", present)
	}
}

func TestFolder_Holds(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	folder := Folder{Dir: dir, Match: func(name string) bool { return strings.HasSuffix(name, ".md") }}
	holds := func(what string, want bool) {
		t.Helper()
		if got, err := folder.Holds(t.Context()); got != want || err != nil {
			t.Errorf("%s: %v, %v, want %v", what, got, err, want)
		}
	}
	write(t, filepath.Join(dir, "sub", "a.txt"), "text")
	write(t, filepath.Join(dir, ".hidden", "a.md"), "text")
	holds("no file that matches", false)
	must(t, os.Symlink("nowhere", filepath.Join(dir, "sub", "a.md")))
	holds("a file that cannot be read", true)
	remove(t, dir)
	if _, err := folder.Holds(t.Context()); err == nil {
		t.Error("a folder that is not there: no error")
	}
}
