// Package gitrepo lets a test change the files of a git repository: it writes, moves
// and removes them, and runs git. It knows nothing of what the files say.
package gitrepo

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Repo is a working folder. Names are relative to it, with slashes. Failures end the test, so the
// test's goroutine must call the methods.
type Repo struct {
	Root string

	t testing.TB
}

// New returns an empty folder, in which git has not been initialised.
func New(t testing.TB) *Repo {
	t.Helper()
	return At(t, t.TempDir())
}

// At returns a folder that exists.
func At(t testing.TB, root string) *Repo {
	t.Helper()
	return &Repo{Root: root, t: t}
}

// Must ends the test if there is an error.
func (r *Repo) Must(err error) {
	r.t.Helper()
	if err != nil {
		r.t.Fatal(err)
	}
}

// Path returns where a file or folder is.
func (r *Repo) Path(name string) string { return filepath.Join(r.Root, filepath.FromSlash(name)) }

// Put writes a file, and makes its folder if need be.
func (r *Repo) Put(name, content string) {
	r.t.Helper()
	r.Must(os.MkdirAll(filepath.Dir(r.Path(name)), 0o750))
	r.Must(os.WriteFile(r.Path(name), []byte(content), 0o600))
}

// Read returns what a file has.
func (r *Repo) Read(name string) string {
	r.t.Helper()
	content, err := os.ReadFile(r.Path(name))
	r.Must(err)
	return string(content)
}

// Rename moves a file or folder, and makes the folder that it moves to.
func (r *Repo) Rename(from, to string) {
	r.t.Helper()
	r.Must(os.MkdirAll(filepath.Dir(r.Path(to)), 0o750))
	r.Must(os.Rename(r.Path(from), r.Path(to)))
}

// Remove removes a file, or a folder with all that is in it.
func (r *Repo) Remove(name string) {
	r.t.Helper()
	r.Must(os.RemoveAll(r.Path(name)))
}

// Git runs a command of git in the folder.
func (r *Repo) Git(arguments ...string) {
	r.t.Helper()
	command := exec.Command("git", append([]string{ //nolint:gosec,noctx // the test chooses the arguments; takes milliseconds
		"-C", r.Root, "-c", "user.name=test", "-c", "user.email=test@localhost", "-c", "gc.auto=0",
	}, arguments...)...)
	if out, err := command.CombinedOutput(); err != nil {
		r.t.Fatalf("git %v: %v\n%s", arguments, err, out)
	}
}

// Commit commits everything, or nothing.
func (r *Repo) Commit() {
	r.t.Helper()
	r.Git("add", "-A")
	r.Git("commit", "-q", "--allow-empty", "-m", "work")
}
