//go:build unix

package watch_test

import (
	"context"
	"log/slog"
	"maps"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/internal/document"
	"github.com/compound-docs/compound-docs/watch"
)

// library is a memory that a mirror fills while a test looks at it.
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

func (l *library) Withdraw(context.Context, map[string]document.Stamp) error { return nil }

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

// badFile is something in a folder that is no document.
type badFile struct {
	name, reason string
	make         func(t *testing.T, path string)
}

func makeFile(size int64) func(t *testing.T, path string) {
	return func(t *testing.T, path string) {
		t.Helper()
		file, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := file.Truncate(size); err != nil {
			t.Fatal(err)
		}
		if err := file.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func makeLink(target string) func(t *testing.T, path string) {
	return func(t *testing.T, path string) {
		t.Helper()
		if err := os.Symlink(target, path); err != nil {
			t.Fatal(err)
		}
	}
}

// makeHidden makes a link to a file beside it that is no document by its own name.
func makeHidden(target string) func(t *testing.T, path string) {
	return func(t *testing.T, path string) {
		t.Helper()
		at := filepath.Dir(path)
		for part := range strings.SplitSeq(target[:strings.LastIndex(target, "/")+1], "/") {
			at += "/" + part // not cleaned: each folder on the way has to be there
			if err := os.MkdirAll(at, 0o750); err != nil {
				t.Fatal(err)
			}
		}
		write(t, filepath.Join(filepath.Dir(path), target), "password")
		makeLink(target)(t, path)
	}
}

func badFiles(t *testing.T) []badFile {
	t.Helper()
	outside := t.TempDir()
	write(t, filepath.Join(outside, "secret.md"), "secret")
	return []badFile{
		{"huge.md", "has 52428800 bytes", makeFile(50 << 20)},
		{"pipe.md", "not a regular file", func(t *testing.T, path string) {
			t.Helper()
			if err := syscall.Mkfifo(path, 0o600); err != nil {
				t.Fatal(err)
			}
		}},
		{"socket.md", "not a regular file", func(t *testing.T, path string) {
			t.Helper()
			// The path of a socket is short: it is made elsewhere.
			short, err := os.MkdirTemp("", "s")
			if err != nil {
				t.Fatal(err)
			}
			listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: filepath.Join(short, "s")})
			if err != nil {
				t.Fatal(err)
			}
			listener.SetUnlinkOnClose(false)
			if err := os.Rename(filepath.Join(short, "s"), path); err != nil {
				t.Fatal(err)
			}
			if err := listener.Close(); err != nil {
				t.Fatal(err)
			}
			if err := os.Remove(short); err != nil {
				t.Fatal(err)
			}
		}},
		{"out.md", "symbolic link out of the folder", makeLink(filepath.Join(outside, "secret.md"))},
		{"up.md", "symbolic link out of the folder", makeLink("../../other.md")},
		{"folder", "symbolic link to a folder elsewhere", makeLink(outside)},
		{"loop.md", "leads back to itself", makeLink("loop.md")},
		{"dangling.md", "symbolic link to nothing", makeLink("nothing.md")},
		{"hidden.md", "hidden files are not read", makeHidden(".env")},
		{"git.md", "hidden files are not read", makeHidden("sub.d/.GIT/config.md")},
		{"around.md", "hidden files are not read", makeHidden("x/../.a.b/../.ssh/id.md")},
		{"unmatched.md", "does not belong to the documents", makeHidden("passwords.txt")},
		{"name\xff.md", "not valid UTF-8", makeFile(1)},
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

// Each is there before the mirror, and comes while it runs; then it makes room
// for a document, comes back in its place, and goes.
func TestMirror_PassesOverWhatIsNoDocument(t *testing.T) {
	t.Parallel()
	for _, bad := range badFiles(t) {
		t.Run(bad.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			early, late := filepath.Join(dir, "sub", bad.name), filepath.Join(dir, bad.name)
			write(t, filepath.Join(dir, "good.md"), "good")
			write(t, filepath.Join(dir, "sub", "good.md"), "good too")
			bad.make(t, early)
			m := mirror(t, watch.Folder{Dir: dir})
			want := map[string]string{"good.md": "good", "sub/good.md": "good too"}
			both := map[string]string{"sub/" + bad.name: bad.reason}
			m.becomes(t, "there before", want, both)

			document := strings.HasSuffix(bad.name, ".md") && !strings.Contains(bad.reason, "UTF-8")
			if document {
				bad.make(t, late)
				both[bad.name] = bad.reason
			}
			write(t, filepath.Join(dir, "good.md"), "better")
			want["good.md"] = "better"
			m.becomes(t, "came later", want, both)

			if document {
				remove(t, late)
				write(t, late, "corrected")
				want[bad.name] = "corrected"
				delete(both, bad.name)
				m.becomes(t, "corrected", want, both)

				remove(t, late)
				bad.make(t, late)
				delete(want, bad.name)
				both[bad.name] = bad.reason
				m.becomes(t, "spoilt again", want, both)
			}
			remove(t, early)
			remove(t, late)
			m.becomes(t, "removed", want, map[string]string{})
		})
	}
}

func TestMirror_FollowsLinksInside(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "real", "target.md"), "first")
	makeLink("real/target.md")(t, filepath.Join(dir, "link.md"))
	makeLink("link.md")(t, filepath.Join(dir, "link-to-link.md"))
	write(t, filepath.Join(dir, "real", "a.md"), "a")
	makeLink("real")(t, filepath.Join(dir, "folder"))
	makeLink("..")(t, filepath.Join(dir, "real", "round"))
	m := mirror(t, watch.Folder{Dir: dir})
	want := map[string]string{"link.md": "first", "link-to-link.md": "first", "real/a.md": "a", "real/target.md": "first"}
	m.becomes(t, "links", want, map[string]string{})

	write(t, filepath.Join(dir, "real", "target.md"), "second, longer")
	want["link.md"], want["link-to-link.md"], want["real/target.md"] = "second, longer", "second, longer", "second, longer"
	m.becomes(t, "another target", want, map[string]string{})

	remove(t, filepath.Join(dir, "real", "target.md"))
	delete(want, "link.md")
	delete(want, "link-to-link.md")
	delete(want, "real/target.md")
	m.becomes(t, "no target", want, map[string]string{"link.md": "to nothing", "link-to-link.md": "to nothing"})

	write(t, filepath.Join(dir, "real", "target.md"), "third")
	want["link.md"], want["link-to-link.md"], want["real/target.md"] = "third", "third", "third"
	m.becomes(t, "a target again", want, map[string]string{})
}

func TestMirror_AFolderNamedAsADocument(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "x.md", "y.md"), "inside")
	m := mirror(t, watch.Folder{Dir: dir})
	m.becomes(t, "a folder", map[string]string{"x.md/y.md": "inside"}, map[string]string{})
	remove(t, filepath.Join(dir, "x.md"))
	write(t, filepath.Join(dir, "x.md"), "a file now")
	m.becomes(t, "a file", map[string]string{"x.md": "a file now"}, map[string]string{})
	remove(t, filepath.Join(dir, "x.md"))
	write(t, filepath.Join(dir, "x.md", "z.md"), "inside again")
	m.becomes(t, "a folder again", map[string]string{"x.md/z.md": "inside again"}, map[string]string{})
}

// A file that is written to all the time is indexed as it was at some moment, and
// in the end as it is.
func TestMirror_AFileThatKeepsChanging(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "log.md")
	const line = "a line of exactly thirty-two byte\n"
	write(t, path, line)
	write(t, filepath.Join(dir, "quiet.md"), "quiet")
	m := mirror(t, watch.Folder{Dir: dir})
	file, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	const blocks = 60
	block := strings.Repeat(line, 1000)
	end := line + strings.Repeat(block, blocks)
	for range blocks {
		if _, err := file.WriteString(block); err != nil {
			t.Fatal(err)
		}
		if content := m.index.holds()["log.md"]; !strings.HasPrefix(end, content) {
			t.Fatalf("%d bytes were indexed that the file never had", len(content))
		}
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	m.becomes(t, "in the end", map[string]string{"log.md": end, "quiet.md": "quiet"}, map[string]string{})
}

// A folder that is away, or is none, keeps nothing but its own mirror waiting, and
// is found at once when it is there.
func TestMirror_FolderComesAndGoes(t *testing.T) {
	t.Parallel()
	parent := t.TempDir()
	dir := filepath.Join(parent, "docs")
	m := mirror(t, watch.Folder{Dir: dir, Inside: parent, MayBeMissing: true})
	nothing := map[string]string{}
	m.becomes(t, "no folder", nothing, nothing)
	for range 3 {
		started := time.Now()
		write(t, filepath.Join(dir, "a.md"), "a")
		m.becomes(t, "created", map[string]string{"a.md": "a"}, nothing)
		write(t, filepath.Join(dir, "b.md"), "b")
		m.becomes(t, "watched", map[string]string{"a.md": "a", "b.md": "b"}, nothing)
		remove(t, dir)
		m.becomes(t, "removed", nothing, nothing)
		if took := time.Since(started); took > 10*time.Second {
			t.Errorf("coming and going was noticed in %s: by a rescan?", took)
		}
	}

	waits := func(reason string) {
		t.Helper()
		deadline := time.After(20 * time.Second)
		for err := m.mirror.Status().Err; err == nil || !strings.Contains(err.Error(), reason); err = m.mirror.Status().Err {
			select {
			case <-deadline:
				t.Fatalf("the mirror waits for %v, want %q", err, reason)
			case <-time.After(5 * time.Millisecond):
			}
		}
	}
	write(t, dir, "not a folder")
	waits("not a directory")
	remove(t, dir)
	elsewhere := t.TempDir()
	write(t, filepath.Join(elsewhere, "secret.md"), "secret")
	makeLink(elsewhere)(t, dir)
	waits("escapes")
	remove(t, dir)
	write(t, filepath.Join(parent, "real", "c.md"), "c")
	makeLink("real")(t, dir)
	m.becomes(t, "a link inside", map[string]string{"c.md": "c"}, nothing)
	write(t, filepath.Join(parent, "real", "d.md"), "d")
	m.becomes(t, "watched through a link", map[string]string{"c.md": "c", "d.md": "d"}, nothing)
}

// Root reads everything, so as root the test is run again under an account that
// does not.
func TestMirror_WhatCannotBeRead(t *testing.T) {
	t.Parallel()
	if os.Geteuid() == 0 {
		runAsNobody(t)
		return
	}
	dir := t.TempDir()
	chmod := func(name string, mode os.FileMode) {
		t.Helper()
		if err := os.Chmod(filepath.Join(dir, name), mode); err != nil {
			t.Fatal(err)
		}
	}
	write(t, filepath.Join(dir, "good.md"), "good")
	write(t, filepath.Join(dir, "shut.md"), "shut")
	write(t, filepath.Join(dir, "room", "inside.md"), "inside")
	chmod("shut.md", 0)
	chmod("room", 0)
	t.Cleanup(func() { chmod("room", 0o700) })
	m := mirror(t, watch.Folder{Dir: dir})
	want := map[string]string{"good.md": "good"}
	m.becomes(t, "shut", want, map[string]string{"shut.md": "permission denied", "room": "permission denied"})

	chmod("shut.md", 0o600)
	want["shut.md"] = "shut"
	m.becomes(t, "a file is opened", want, map[string]string{"room": "permission denied"})
	chmod("room", 0o700)
	want["room/inside.md"] = "inside"
	m.becomes(t, "a folder is opened", want, map[string]string{})
	write(t, filepath.Join(dir, "room", "late.md"), "late")
	want["room/late.md"] = "late"
	m.becomes(t, "it is watched", want, map[string]string{})

	// What is known of a folder that cannot be looked into stays.
	chmod("room", 0)
	write(t, filepath.Join(dir, "sub", "new.md"), "a new folder makes for a walk")
	want["sub/new.md"] = "a new folder makes for a walk"
	m.becomes(t, "shut again", want, map[string]string{"room": "permission denied"})
}

func runAsNobody(t *testing.T) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("this account reads everything")
	}
	const nobody = 65534
	home, err := os.MkdirTemp("", "nobody")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { remove(t, home) })
	if err := os.Chown(home, nobody, nobody); err != nil {
		t.Fatal(err)
	}
	// The folder of the test's program may be closed to others, so that it is
	// reached as what it is already.
	command := exec.CommandContext(t.Context(), "/proc/self/exe", "-test.run=^"+t.Name()+"$", "-test.v")
	command.Dir, command.Env = home, []string{"TMPDIR=" + home}
	command.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	output, err := command.CombinedOutput()
	if err != nil || !strings.Contains(string(output), "--- PASS: "+t.Name()) {
		t.Fatalf("as nobody: %v\n%s", err, output)
	}
}

// A folder of a cloned repository must not lead out of it.
func TestFolder_ReadStaysInside(t *testing.T) {
	t.Parallel()
	outside, repository := t.TempDir(), t.TempDir()
	write(t, filepath.Join(outside, "secret.md"), "secret")
	makeLink(outside)(t, filepath.Join(repository, "docs"))
	folder := watch.Folder{Dir: filepath.Join(repository, "docs"), Inside: repository}
	if file, err := folder.Read("secret.md"); err == nil {
		t.Errorf("read %q from outside of the repository", file.Content)
	}
	// By a name that leads over a link to a folder, which no walk does.
	write(t, filepath.Join(repository, "notes", ".git", "config.md"), "secret")
	makeLink(".git")(t, filepath.Join(repository, "notes", "folder"))
	notes := watch.Folder{Dir: filepath.Join(repository, "notes"), Inside: repository}
	if file, err := notes.Read("folder/config.md"); err == nil {
		t.Errorf("read %q from a hidden folder", file.Content)
	}
	// The folder itself.
	makeLink("notes/.git")(t, filepath.Join(repository, "visible"))
	for name, folder := range map[string]watch.Folder{
		"over a link":  {Dir: filepath.Join(repository, "visible"), Inside: repository},
		"by its name":  {Dir: filepath.Join(repository, "notes", ".git"), Inside: repository},
		"by no folder": {Dir: filepath.Join(repository, "visible"), Inside: filepath.Join(repository, "visible")},
	} {
		if file, err := folder.Read("config.md"); err == nil {
			t.Errorf("read %q from a hidden folder %s", file.Content, name)
		}
	}
	bad := badFiles(t)
	dir := t.TempDir()
	for _, file := range bad {
		if strings.Contains(file.reason, "belong") { // it is Match that says so, and there is none here
			continue
		}
		file.make(t, filepath.Join(dir, file.name))
		if !strings.HasSuffix(file.name, ".md") || strings.Contains(file.reason, "UTF-8") {
			continue
		}
		if _, err := (watch.Folder{Dir: dir}).Read(file.name); err == nil {
			t.Errorf("%s was read, which %s", file.name, file.reason)
		}
	}
}
