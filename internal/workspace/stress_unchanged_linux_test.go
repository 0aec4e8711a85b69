package workspace_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// Nothing of a file that has not changed is read: the kernel is asked.
func TestStress_ActivatingUnchangedFilesOpensNone(t *testing.T) {
	t.Parallel()
	f := setup(t, map[string]string{})
	const folders = 20
	old := time.Now().Add(-time.Hour)
	for i := range size(10_000, 1_000) {
		name := fmt.Sprintf("%spart%d/doc-%05d.md", docs, i%folders, i)
		f.Put(name, numbered(i, "unchanged"))
		if err := os.Chtimes(filepath.Join(f.Root, name), old, old); err != nil {
			t.Fatal(err)
		}
	}
	first := f.server(t)
	f.activate(t, first, "main")
	first.Close()
	const versions = `SELECT concat_ws(' ', relative_path, xmin, ctid) FROM documents ORDER BY 1`
	before := f.rows(t, versions)
	if len(before) != size(10_000, 1_000) {
		t.Fatalf("%d documents", len(before))
	}

	opened := watchOpening(t, filepath.Join(f.Root, docs))
	f.fake.Forget()
	began := time.Now()
	f.activate(t, f.server(t), "main")
	t.Logf("activated %d unchanged documents in %v", len(before), time.Since(began).Round(time.Millisecond))
	if names := opened(); len(names) != 0 {
		t.Errorf("%d files were opened, %s among them", len(names), names[0])
	}
	if texts := f.fake.Texts(); len(texts) != 0 {
		t.Errorf("%d texts were embedded", len(texts))
	}
	if diff := cmp.Diff(before, f.rows(t, versions)); diff != "" {
		t.Errorf("rows were written (-before +after):\n%.2000s", diff)
	}
	// That a file is opened would have been seen.
	if _, err := os.ReadFile(filepath.Join(f.Root, docs, "part3/doc-00003.md")); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"doc-00003.md"}, opened()); diff != "" {
		t.Errorf("opened files (-want +got):\n%s", diff)
	}
}

// watchOpening returns what tells the files that were opened in the folders of
// dir since it was last asked.
func watchOpening(t *testing.T, dir string) (opened func() []string) {
	t.Helper()
	fd, err := syscall.InotifyInit1(syscall.IN_CLOEXEC | syscall.IN_NONBLOCK)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Close(fd) })
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if _, err := syscall.InotifyAddWatch(fd, filepath.Join(dir, entry.Name()), syscall.IN_OPEN); err != nil {
			t.Fatal(err)
		}
	}
	return func() (names []string) {
		buf := make([]byte, 1<<20)
		for {
			n, err := syscall.Read(fd, buf)
			if errors.Is(err, syscall.EAGAIN) {
				return names
			}
			if err != nil {
				t.Fatal(err)
			}
			// struct inotify_event: wd, mask, cookie, len, name.
			for rest := buf[:n]; len(rest) > 0; {
				mask, length := binary.NativeEndian.Uint32(rest[4:]), binary.NativeEndian.Uint32(rest[12:])
				name := strings.TrimRight(string(rest[16:16+length]), "\x00")
				if mask&syscall.IN_ISDIR == 0 {
					names = append(names, name)
				}
				rest = rest[16+length:]
			}
		}
	}
}
