package workspace

import (
	"errors"
	"io/fs"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/internal/document"
	"github.com/compound-docs/compound-docs/test/gitrepo"
	"github.com/compound-docs/compound-docs/watch"
)

// to is a change to a content, whatever there is.
func to(content string) func(document.File) ([]byte, error) {
	return func(document.File) ([]byte, error) { return []byte(content), nil }
}

// newFile makes a folder with one file.
func newFile(t *testing.T, name, content string, mode fs.FileMode) (watch.Folder, *gitrepo.Repo) {
	t.Helper()
	repo := gitrepo.New(t)
	repo.Put(name, content)
	repo.Must(os.Chmod(repo.Path(name), mode))
	return watch.Folder{Dir: repo.Root, Prefix: "docs", Match: func(string) bool { return true }}, repo
}

// holds checks that a folder has one file, and its content.
func holds(t *testing.T, repo *gitrepo.Repo, name, content string) {
	t.Helper()
	var names []string
	repo.Must(fs.WalkDir(os.DirFS(repo.Root), ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			names = append(names, name)
		}
		return err
	}))
	if diff := cmp.Diff([]string{name}, names); diff != "" {
		t.Fatalf("files (-want +got):\n%s", diff)
	}
	if got := repo.Read(name); got != content {
		t.Errorf("%.20s has %q, want %q", name, got, content)
	}
}

func TestEdit_ReplacesContentAndKeepsTheMode(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("n", 252) + ".md" // as long as a name can be
	for name, mode := range map[string]fs.FileMode{"a.md": 0o600, "sub/b.md": 0o666, "c.md": 0o755, "read-only.md": 0o444, long: 0o640} {
		folder, repo := newFile(t, name, "before", mode)
		repo.Must(edit(folder, name, to("after")))
		holds(t, repo, name, "after")
		info, err := os.Stat(repo.Path(name))
		repo.Must(err)
		if info.Mode().Perm() != mode {
			t.Errorf("%.20s has mode %v, want %v", name, info.Mode().Perm(), mode)
		}
	}
}

func TestEdit_ToTheSameContentWritesNothing(t *testing.T) {
	t.Parallel()
	folder, repo := newFile(t, "a.md", "text", 0o600)
	was, err := os.Stat(repo.Path("a.md"))
	repo.Must(err)
	repo.Must(edit(folder, "a.md", to("text")))
	is, err := os.Stat(repo.Path("a.md"))
	repo.Must(err)
	if !os.SameFile(was, is) || !was.ModTime().Equal(is.ModTime()) {
		t.Error("the file was replaced")
	}
}

func TestEdit_KeepsWhatOthersWriteMeanwhile(t *testing.T) {
	t.Parallel()
	folder, repo := newFile(t, "a.md", "mine\n", 0o600)
	calls := 0
	repo.Must(edit(folder, "a.md", func(file document.File) ([]byte, error) {
		if calls++; calls == 1 {
			repo.Put("a.md", "mine\ntheirs\n")
		}
		return append([]byte("edited\n"), file.Content...), nil
	}))
	holds(t, repo, "a.md", "edited\nmine\ntheirs\n")
}

func TestEdit_GivesUpOnAFileThatKeepsChanging(t *testing.T) {
	t.Parallel()
	folder, repo := newFile(t, "a.md", "x", 0o600)
	written := "x"
	err := edit(folder, "a.md", func(document.File) ([]byte, error) {
		written += "x"
		repo.Put("a.md", written)
		return []byte("edited"), nil
	})
	if err == nil || !strings.Contains(err.Error(), "being changed by others") {
		t.Errorf("got %v", err)
	}
	holds(t, repo, "a.md", written)
}

func TestEdit_LeavesTheFileAloneWhenItFails(t *testing.T) {
	t.Parallel()
	folder, repo := newFile(t, "a.md", "text", 0o600)
	refused := errors.New("refused")
	if err := edit(folder, "a.md", func(document.File) ([]byte, error) { return []byte("new"), refused }); !errors.Is(err, refused) {
		t.Errorf("got %v, want the error of the change itself", err)
	}
	repo.Must(os.Symlink("a.md", repo.Path("link.md")))
	if err := edit(folder, "link.md", to("new")); err == nil || !strings.Contains(err.Error(), "points to, a.md") {
		t.Errorf("edit of a link: %v, want an error that names a.md", err)
	}
	if err := edit(folder, "missing.md", to("new")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("edit of nothing: %v", err)
	}
	repo.Remove("link.md")
	holds(t, repo, "a.md", "text")
	err := edit(folder, "a.md", func(document.File) ([]byte, error) { return []byte("new"), os.Remove(repo.Path("a.md")) })
	if _, statErr := os.Stat(repo.Path("a.md")); !errors.Is(err, fs.ErrNotExist) || !errors.Is(statErr, fs.ErrNotExist) {
		t.Errorf("edit of a file that goes meanwhile: %v, and the file: %v", err, statErr)
	}
}
