package watch

import (
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/compound-docs/compound-docs/test/await"
)

// observe runs a mirror of the same folder that indexes nothing.
func (w *watched) observe(t *testing.T) *Mirror {
	t.Helper()
	folder := Folder{Dir: w.dir, MayBeMissing: true, Match: func(name string) bool { return strings.HasSuffix(name, ".md") }}
	observer := newMirror(folder, nil, slog.New(slog.DiscardHandler))
	runUntilTheEnd(t, observer.Observe)
	return observer
}

// current reports whether a mirror knows of no change, and its state.
func current(m *Mirror) (state uint64, ok bool) {
	m.Compare()
	status := m.Status()
	return status.State, !status.Synced.IsZero() && pending(status) == 0 && status.Err == nil
}

// A server that does not index knows without the index whether it sees the files of the one that does.
func TestMirror_ObserverHasTheStateOfTheFiles(t *testing.T) {
	t.Parallel()
	w := watchFiles(t, map[string]string{"a.md": "a", "one/b.md": "b"})
	observer := w.observe(t)
	agree := func() bool {
		seen, ok := current(observer)
		indexed, done := current(w.mirror)
		return ok && done && seen == indexed
	}
	await.Until(t, "both see the same files", agree)
	states := map[uint64]string{0: "not known", observer.Status().State: "the first files"}
	for what, change := range map[string]func() error{
		"a file that was written":  func() error { w.write(t, "a.md", "b"); return nil },
		"a file that was moved":    func() error { return os.Rename(filepath.Join(w.dir, "one/b.md"), filepath.Join(w.dir, "b.md")) },
		"a folder that was moved":  func() error { return os.Rename(filepath.Join(w.dir, "one"), filepath.Join(w.dir, "three")) },
		"a file that was removed":  func() error { return os.Remove(filepath.Join(w.dir, "a.md")) },
		"a folder that is no more": func() error { return os.RemoveAll(w.dir) },
	} {
		w.write(t, "a.md", "a")
		w.write(t, "one/b.md", "b")
		w.write(t, "one/c.md", "c")
		must(t, change())
		await.Until(t, "both see "+what, func() bool { return states[observer.Status().State] == "" && agree() })
		states[observer.Status().State] = what
	}
}

// No event tells that a folder above the watched one was moved, or that a missing one has come.
// The status says so at once all the same.
func TestMirror_SaysAtOnceThatTheFolderWasReplaced(t *testing.T) {
	t.Parallel()
	top := t.TempDir()
	dir := filepath.Join(top, "present", "docs")
	write(t, filepath.Join(dir, "a.md"), "a")
	write(t, filepath.Join(top, "other", "docs", "b.md"), "b")
	w := watchFolder(t, Folder{Dir: dir, MayBeMissing: true})
	for what, step := range []struct {
		from, to string
		want     map[string]string
	}{
		{"present", "aside", map[string]string{}},
		{"other", "present", map[string]string{"b.md": "b"}},
		{"present", "other", map[string]string{}},
		{"aside", "present", map[string]string{"a.md": "a"}},
	} {
		before := map[string]string{"a.md": "a"}
		if what > 0 {
			before = w.index.contents()
		}
		w.becomes(t, "at first", before, nil)
		must(t, os.Rename(filepath.Join(top, step.from), filepath.Join(top, step.to)))
		if _, ok := current(w.mirror); ok {
			t.Errorf("%d: the status says that nothing has changed", what)
		}
		w.becomes(t, step.from+" becomes "+step.to, step.want, nil)
	}
	w.write(t, "a.md", "edited in the folder that came back")
	w.becomes(t, "an edit", map[string]string{"a.md": "edited in the folder that came back"}, nil)
}

// From the event that a folder was moved until all folders are watched again, which takes a
// while, no moment seems quiet.
func TestMirror_IsBehindWhileItWatchesAgain(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "docs")
	write(t, filepath.Join(dir, "one", "a.md"), "a")
	write(t, filepath.Join(dir, "two", "b.md"), "b")
	for i := range 2000 {
		must(t, os.Mkdir(filepath.Join(dir, "one", strconv.Itoa(i)), 0o700))
	}
	w := watchFolder(t, Folder{Dir: dir})
	w.becomes(t, "at first", map[string]string{"one/a.md": "a", "two/b.md": "b"}, nil)
	for _, move := range [][2]string{{"one", "aside"}, {"two", "one"}, {"aside", "two"}} {
		must(t, os.Rename(filepath.Join(dir, move[0]), filepath.Join(dir, move[1])))
	}
	await.Until(t, "the folders are watched again", func() bool { return strings.Contains(w.log.String(), "watching the folder again") })
	if _, ok := current(w.mirror); ok {
		t.Error("the status says that the index is up to date before it is")
	}
	w.becomes(t, "exchanged", map[string]string{"two/a.md": "a", "one/b.md": "b"}, nil)
}
