package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The folder of the sockets is this user's alone. Anyone else's, who could read events and answer them, is refused. A long
// home has its sockets in a short one.
func TestHookSocket_IsPrivate(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	folder := filepath.Join(home, "hooks")
	if err := os.Mkdir(folder, 0o777); err != nil {
		t.Fatal(err)
	}
	path, err := hookSocket(home, "/a")
	info, statErr := os.Stat(folder)
	if err != nil || statErr != nil || info.Mode().Perm() != 0o700 || filepath.Dir(path) != folder {
		t.Errorf("the socket is %s (%v) in a folder with %v", path, err, info)
	}
	long, err := hookSocket(filepath.Join(home, strings.Repeat("long", 30)), "/a")
	defer os.Remove(filepath.Dir(long)) //nolint:errcheck // of the test
	if err != nil || len(long) > 104 || len(filepath.Base(long)) != 12 {
		t.Errorf("a long home has its socket at %s (%v)", long, err)
	}
	if os.Geteuid() == 0 {
		if err := os.Chown(folder, 12345, 12345); err != nil {
			t.Fatal(err)
		}
		if path, err := hookSocket(home, "/a"); err == nil {
			t.Errorf("in a folder of another user the socket is %s", path)
		}
	}
	link := t.TempDir()
	if err := os.Symlink(folder, filepath.Join(link, "hooks")); err != nil {
		t.Fatal(err)
	}
	if path, err := hookSocket(link, "/a"); err == nil {
		t.Errorf("in a folder behind a link the socket is %s", path)
	}
}
