package contain_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/internal/contain"
)

const secret = "token"

// newFolder makes a folder of files and of symbolic links, whose content begins with "->".
func newFolder(t *testing.T, files map[string]string) (dir string) {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range files {
		at := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(at), 0o750); err != nil {
			t.Fatal(err)
		}
		if target, ok := strings.CutPrefix(content, "->"); ok {
			err = os.Symlink(strings.ReplaceAll(target, "DIR", dir), at)
		} else {
			err = os.WriteFile(at, []byte(content), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func open(t *testing.T, dir string) *contain.Root {
	t.Helper()
	root, err := contain.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() }) //nolint:errcheck // opened for reading
	return root
}

// A path and its symbolic links are followed inside of the folder, and nowhere else.
func TestRoot_StaysInside(t *testing.T) {
	t.Parallel()
	outside := newFolder(t, map[string]string{"secret.md": secret})
	dir := newFolder(t, map[string]string{
		"a/b.md": "text", "link.md": "->a/b.md", "folder": "->a", "a/up": "->..", "absolute.md": "->DIR/a/b.md", "twice.md": "->link.md",
		"out.md": "->" + outside + "/secret.md", "out": "->" + outside, "above.md": "->../x.md", "around.md": "->a/../../x.md",
		"loop.md": "->loop.md", "dangling.md": "->nothing.md", ".git/config": secret, ".env": secret, "git.md": "->.git/config",
		"env.md": "->.env", "gitfolder": "->.git", "x/.y/z.md": secret, "z.md": "->x/.y/../.y/z.md", "visible.md": "->x/.y/../../a/b.md",
		"long.md":       "->" + strings.Repeat("a/../", 600) + "a/b.md",
		".shown/c.json": "config", "shown.json": "->.shown/c.json",
	})
	root := open(t, dir)
	for name, want := range map[string]any{
		"a/b.md": "text", "./a//b.md": "text", "link.md": "text", "folder/b.md": "text", "a/up/a/b.md": "text", "a/../link.md": "text",
		"absolute.md": "text", "twice.md": "text", "visible.md": "text",
		"out.md": contain.ErrEscapes, "out/secret.md": contain.ErrEscapes, "above.md": contain.ErrEscapes, "around.md": contain.ErrEscapes,
		"../x.md": contain.ErrEscapes, "a/../../x.md": contain.ErrEscapes, outside + "/secret.md": contain.ErrEscapes,
		"git.md": contain.ErrHidden, "env.md": contain.ErrHidden, "gitfolder/config": contain.ErrHidden, ".env": contain.ErrHidden,
		"z.md": contain.ErrHidden, "shown.json": contain.ErrHidden, ".shown/c.json": contain.ErrHidden,
		"loop.md": "too many", "long.md": "too many", "dangling.md": fs.ErrNotExist, "none.md": fs.ErrNotExist, "a/b.md/c.md": "not a directory",
		"a": contain.ErrNotRegular, ".": contain.ErrNotRegular,
	} {
		file, err := root.Read(name, 100)
		switch want := want.(type) {
		case error:
			if !errors.Is(err, want) {
				t.Errorf("%s: %q, %v, want %v", name, file.Content, err, want)
			}
		case string:
			if err != nil && strings.Contains(err.Error(), want) {
				break
			}
			if err != nil || string(file.Content) != want || file.Target != "a/b.md" {
				t.Errorf("%s: %q of %s, %v, want %q", name, file.Content, file.Target, err, want)
			}
		}
	}
	shown := root.Showing(".shown")
	for _, name := range []string{".shown/c.json", "shown.json"} {
		if file, err := shown.Read(name, 100); err != nil || string(file.Content) != "config" {
			t.Errorf("%s: %q, %v", name, file.Content, err)
		}
	}
	if _, err := shown.Read(".env", 100); !errors.Is(err, contain.ErrHidden) {
		t.Errorf(".env beside the folder that is shown: %v", err)
	}
}

func TestRoot_ReadsUpToTheLimit(t *testing.T) {
	t.Parallel()
	dir := newFolder(t, map[string]string{"a.md": strings.Repeat("x", 100), "b.md": strings.Repeat("x", 101)})
	root := open(t, dir)
	if file, err := root.Read("a.md", 100); err != nil || len(file.Content) != 100 {
		t.Errorf("%d bytes, %v, want 100", len(file.Content), err)
	}
	want := &contain.TooLargeError{Size: 101, Limit: 100}
	_, err := root.Read("b.md", 100)
	_, alone := contain.ReadFile(filepath.Join(dir, "b.md"), 100)
	for _, err := range []error{err, alone} {
		if got, ok := errors.AsType[*contain.TooLargeError](err); !ok || *got != *want {
			t.Errorf("%v, want %v", err, want)
		}
	}
}

// What is hidden is not even listed, and no symbolic link is followed.
func TestRoot_Walk(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat("d/", 101)
	root := open(t, newFolder(t, map[string]string{
		"a.md": "", "b/c.md": "", "b/skip/d.md": "", ".git/config": secret, "b/.env": secret, "folder": "->b", deep + "e.md": "", "z.md": "",
	}))
	var visited []string
	err := root.Walk(func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			visited = append(visited, "too deep")
			if !strings.Contains(err.Error(), "more than 100 folders") || name != strings.TrimSuffix(deep, "/") {
				t.Errorf("%s: %v", name, err)
			}
		case d.IsDir() && d.Name() == "skip":
			return fs.SkipDir
		case d.Name() != "d":
			visited = append(visited, name)
		}
		return nil
	})
	if diff := cmp.Diff([]string{".", "a.md", "b", "b/c.md", "too deep", "folder", "z.md"}, visited); diff != "" || err != nil {
		t.Errorf("%v, visited (-want +got):\n%s", err, diff)
	}
	if _, err := root.Read(deep+"e.md", 1); err == nil {
		t.Error("a file below 101 folders was read")
	}
}

// Nothing is written outside of the folder, nor to something hidden.
func TestRoot_WritesInside(t *testing.T) {
	t.Parallel()
	outside := newFolder(t, map[string]string{"secret.md": secret})
	dir := newFolder(t, map[string]string{
		"a.md": "old", "link.md": "->a.md", "out": "->" + outside, ".git/hooks/x": secret, "hooks": "->.git/hooks", "inside": "->real", "real/b.md": "old",
	})
	root := open(t, dir)
	for _, name := range []string{"out/secret.md", "hooks/x", ".git/hooks/x", "../x.md", "link.md", "missing.md", "real"} {
		if err := root.Replace(name, []byte("old"), []byte("new")); err == nil {
			t.Errorf("%s was replaced", name)
		}
	}
	for _, name := range []string{"out/new.md", "hooks/new", ".git/new", ".", ".."} {
		if err := root.Create(name, []byte("new"), 0o600); err == nil {
			t.Errorf("%s was made", name)
		}
		if err := root.Create(name+"/x/y", []byte("new"), 0o600); err == nil && name != "." {
			t.Errorf("a folder in %s was made", name)
		}
	}
	if err := root.Create("a.md", []byte("new"), 0o600); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a file that is there is made: %v", err)
	}
	if err := root.Replace("inside/b.md", []byte("old"), []byte("new")); err != nil {
		t.Error(err)
	}
	for _, before := range []string{"", "ol", "odd", "older"} {
		if err := root.Replace("a.md", []byte(before), []byte("new")); !errors.Is(err, contain.ErrChanged) {
			t.Errorf("a file that was %q is replaced: %v", before, err)
		}
	}
	if err := root.Save("made/for/c.md", nil, []byte("new"), 0o600); err != nil {
		t.Error(err)
	}
	got := map[string]string{}
	for _, name := range []string{"a.md", "real/b.md", ".git/hooks/x", "made/for/c.md"} {
		content, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		got[name] = string(content)
	}
	if diff := cmp.Diff(map[string]string{"a.md": "old", "real/b.md": "new", ".git/hooks/x": secret, "made/for/c.md": "new"}, got); diff != "" {
		t.Error(diff)
	}
	for _, folder := range []string{outside, filepath.Join(dir, ".git", "hooks")} {
		if entries, err := os.ReadDir(folder); err != nil || len(entries) != 1 {
			t.Errorf("%s holds %v (%v)", folder, entries, err)
		}
	}
}
