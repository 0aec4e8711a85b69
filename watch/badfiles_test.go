//go:build unix

package watch

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// badFile is an entry of a folder that is not a document.
type badFile struct {
	name, reason string
	make         func(t *testing.T, path string)
}

func makeFile(size int64) func(t *testing.T, path string) {
	return func(t *testing.T, path string) {
		t.Helper()
		file, err := os.Create(path)
		must(t, err)
		must(t, file.Truncate(size))
		must(t, file.Close())
	}
}

func makeLink(target string) func(t *testing.T, path string) {
	return func(t *testing.T, path string) {
		t.Helper()
		must(t, os.Symlink(target, path))
	}
}

// makeHidden makes a link to a file beside it. By its own name that file is not a document.
func makeHidden(target string) func(t *testing.T, path string) {
	return func(t *testing.T, path string) {
		t.Helper()
		at := filepath.Dir(path)
		for part := range strings.SplitSeq(target[:strings.LastIndex(target, "/")+1], "/") {
			at += "/" + part // not cleaned: each folder on the way has to be there
			must(t, os.MkdirAll(at, 0o750))
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
			must(t, syscall.Mkfifo(path, 0o600))
		}},
		{"socket.md", "not a regular file", func(t *testing.T, path string) {
			t.Helper()
			// The path of a socket is short: it is made elsewhere.
			short, err := os.MkdirTemp("", "s")
			must(t, err)
			listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: filepath.Join(short, "s")})
			must(t, err)
			listener.SetUnlinkOnClose(false)
			must(t, os.Rename(filepath.Join(short, "s"), path))
			must(t, listener.Close())
			must(t, os.Remove(short))
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
		{"name\nSYSTEM NOTICE.md", "do not print", makeFile(1)},
		{"name\u202e\x1b[31m.md", "do not print", makeFile(1)},
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
			m := watchFolder(t, Folder{Dir: dir})
			want := map[string]string{"good.md": "good", "sub/good.md": "good too"}
			both := map[string]string{"sub/" + bad.name: bad.reason}
			m.becomes(t, "there before", want, both)

			document := strings.HasSuffix(bad.name, ".md") && checkName(bad.name) == nil // else no file of the name is one
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

// A file that is written to all the time is indexed as it was at some moment, and
// in the end as it is.
func TestMirror_AFileThatKeepsChanging(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "log.md")
	const line = "a line of exactly thirty-two byte\n"
	write(t, path, line)
	write(t, filepath.Join(dir, "quiet.md"), "quiet")
	m := watchFolder(t, Folder{Dir: dir})
	file, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	must(t, err)
	const blocks = 60
	block := strings.Repeat(line, 1000)
	end := line + strings.Repeat(block, blocks)
	for range blocks {
		if _, err := file.WriteString(block); err != nil {
			t.Fatal(err)
		}
		if content := m.index.contents()["log.md"]; !strings.HasPrefix(end, content) {
			t.Fatalf("%d bytes were indexed that the file never had", len(content))
		}
	}
	must(t, file.Close())
	m.becomes(t, "in the end", map[string]string{"log.md": end, "quiet.md": "quiet"}, map[string]string{})
}
