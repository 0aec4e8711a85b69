package workspace

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/internal/document"
	"github.com/compound-docs/compound-docs/watch"
)

// to is a change to a content, whatever there is.
func to(content string) func(document.File) ([]byte, error) {
	return func(document.File) ([]byte, error) { return []byte(content), nil }
}

// newFile makes a folder with one file.
func newFile(t *testing.T, name, content string, mode fs.FileMode) (folder watch.Folder, path string) {
	t.Helper()
	folder = watch.Folder{Dir: t.TempDir(), Prefix: "docs", Match: func(string) bool { return true }}
	path = filepath.Join(folder.Dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
	return folder, path
}

// contents is every file of the folder with its content, by name.
func contents(t *testing.T, folder watch.Folder) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := fs.WalkDir(os.DirFS(folder.Dir), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := os.ReadFile(filepath.Join(folder.Dir, name))
		files[name] = string(content)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func TestEdit_ReplacesContentAndKeepsTheMode(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("n", 252) + ".md" // as long as a name can be
	for name, mode := range map[string]fs.FileMode{"a.md": 0o600, "sub/b.md": 0o666, "c.md": 0o755, "read-only.md": 0o444, long: 0o640} {
		folder, path := newFile(t, name, "before", mode)
		if err := edit(folder, name, to("after")); err != nil {
			t.Fatalf("%.20s: %v", name, err)
		}
		if diff := cmp.Diff(map[string]string{name: "after"}, contents(t, folder)); diff != "" {
			t.Errorf("files (-want +got):\n%s", diff)
		}
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm() != mode {
			t.Errorf("%.20s has mode %v, want %v", name, info.Mode().Perm(), mode)
		}
	}
}

func TestEdit_ToTheSameContentWritesNothing(t *testing.T) {
	t.Parallel()
	folder, path := newFile(t, "a.md", "text", 0o600)
	was, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := edit(folder, "a.md", to("text")); err != nil {
		t.Fatal(err)
	}
	is, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if !os.SameFile(was, is) || !was.ModTime().Equal(is.ModTime()) {
		t.Error("the file was replaced")
	}
}

func TestEdit_KeepsWhatOthersWriteMeanwhile(t *testing.T) {
	t.Parallel()
	folder, path := newFile(t, "a.md", "mine\n", 0o600)
	calls := 0
	err := edit(folder, "a.md", func(file document.File) ([]byte, error) {
		if calls++; calls == 1 {
			if err := os.WriteFile(path, []byte("mine\ntheirs\n"), 0o600); err != nil {
				return nil, err
			}
		}
		return append([]byte("edited\n"), file.Content...), nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]string{"a.md": "edited\nmine\ntheirs\n"}, contents(t, folder)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestEdit_GivesUpOnAFileThatKeepsChanging(t *testing.T) {
	t.Parallel()
	folder, path := newFile(t, "a.md", "x", 0o600)
	written := "x"
	err := edit(folder, "a.md", func(document.File) ([]byte, error) {
		written += "x"
		return []byte("edited"), os.WriteFile(path, []byte(written), 0o600)
	})
	if err == nil || !strings.Contains(err.Error(), "being changed by others") {
		t.Errorf("got %v", err)
	}
	if diff := cmp.Diff(map[string]string{"a.md": written}, contents(t, folder)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestEdit_LeavesTheFileAloneWhenItFails(t *testing.T) {
	t.Parallel()
	folder, path := newFile(t, "a.md", "text", 0o600)
	refused := errors.New("refused")
	if err := edit(folder, "a.md", func(document.File) ([]byte, error) { return []byte("new"), refused }); !errors.Is(err, refused) {
		t.Errorf("got %v, want the error of the change itself", err)
	}
	if err := os.Symlink("a.md", filepath.Join(folder.Dir, "link.md")); err != nil {
		t.Fatal(err)
	}
	if err := edit(folder, "link.md", to("new")); err == nil || !strings.Contains(err.Error(), "points to, a.md") {
		t.Errorf("edit of a link: %v, want an error that names a.md", err)
	}
	if err := edit(folder, "missing.md", to("new")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("edit of nothing: %v", err)
	}
	err := edit(folder, "a.md", func(document.File) ([]byte, error) { return []byte("new"), os.Remove(path) })
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("edit of a file that goes meanwhile: %v", err)
	}
	if diff := cmp.Diff([]string{"link.md"}, names(t, folder.Dir)); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
}

func names(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	return names
}
