//go:build unix

package contain_test

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/compound-docs/compound-docs/internal/contain"
)

// A named pipe would keep whoever opens it waiting, and a device may do something.
func TestRoot_OpensRegularFilesOnly(t *testing.T) {
	t.Parallel()
	dir := newFolder(t, map[string]string{"device.md": "->/dev/zero", "to-pipe.md": "->pipe.md", "to-socket.md": "->socket.md"})
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe.md"), 0o600); err != nil {
		t.Fatal(err)
	}
	short := filepath.Join(t.TempDir(), "s") // the path of a socket is
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: short})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() }) //nolint:errcheck // nobody connects
	if err := os.Rename(short, filepath.Join(dir, "socket.md")); err != nil {
		t.Fatal(err)
	}
	root := open(t, dir)
	done := make(chan map[string]error, 1)
	go func() {
		got := map[string]error{}
		for _, name := range []string{"pipe.md", "to-pipe.md", "socket.md", "to-socket.md", "device.md"} {
			_, got[name] = root.Read(name, 100)
			_, got[filepath.Join(dir, name)] = contain.ReadFile(filepath.Join(dir, name), 100)
			got["replace "+name] = root.Replace(name, nil, nil)
			_, got["folder "+name] = root.Sub(name)
			_, got["open "+name] = contain.Open(filepath.Join(dir, name))
		}
		done <- got
	}()
	select {
	case got := <-done:
		for name, err := range got {
			if err == nil {
				t.Errorf("%s was opened", name)
			}
		}
		for _, name := range []string{"pipe.md", "socket.md", filepath.Join(dir, "device.md"), filepath.Join(dir, "pipe.md")} {
			if !errors.Is(got[name], contain.ErrNotRegular) {
				t.Errorf("%s: %v, want %v", name, got[name], contain.ErrNotRegular)
			}
		}
	case <-time.After(10 * time.Second):
		t.Fatal("it waits for a pipe")
	}
}

// A program that root runs leaves files to their owners.
func TestReplace_KeepsTheOwner(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root can give files away")
	}
	dir := newFolder(t, map[string]string{"a.md": "old"})
	if err := os.Chown(filepath.Join(dir, "a.md"), 12345, 54321); err != nil {
		t.Fatal(err)
	}
	if err := open(t, dir).Replace("a.md", []byte("old"), []byte("new")); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(filepath.Join(dir, "a.md"))
	if err != nil {
		t.Fatal(err)
	}
	if owner, _ := info.Sys().(*syscall.Stat_t); owner.Uid != 12345 || owner.Gid != 54321 {
		t.Errorf("the file belongs to %d:%d", owner.Uid, owner.Gid)
	}
}
