package pgserver

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The user's folder may have any name, also one that is too long for a socket. One cluster is moved from folder
// to folder.
func TestServer_AwkwardFolders(t *testing.T) {
	t.Parallel()
	parent := t.TempDir()
	for _, folder := range []string{parent, filepath.Dir(parent)} { // the server's account has to enter them
		if err := os.Chmod(folder, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	last := filepath.Join(parent, "plain")
	for _, name := range []string{
		"plain", " two  spaces ", "50%20%", `quo"te '`, `back\slash$HOME`, "~tilde ünïcode 文件", "-dash+,;:@!&=?#(x)[y]{z}*", strings.Repeat("long", 30),
	} {
		home := filepath.Join(parent, name)
		if home != last {
			if err := os.Rename(last, home); err != nil {
				t.Fatal(err)
			}
			last = home
		}
		s := newServer(t, home)
		url, err := s.URL(t.Context())
		if err != nil {
			t.Errorf("%q: %v", name, err)
			continue
		}
		if got := query(t, url, "SELECT '1'"); got != "1" {
			t.Errorf("%q: the server answers %q", name, got)
		}
		if data := query(t, url, "SHOW data_directory"); !strings.HasPrefix(data, home+"/") {
			t.Errorf("%q: the data is in %q", name, data)
		}
		if socket := query(t, url, "SHOW unix_socket_directories"); FitsSocket(filepath.Join(home, "postgres/run")) == strings.HasPrefix(socket, shortSocket) {
			t.Errorf("%q: the socket is in %s", name, socket)
		}
		if _, err := s.Stop(t.Context()); err != nil {
			t.Errorf("%q: %v", name, err)
		}
		if p, err := layoutOf(home); err != nil || os.RemoveAll(p.socket) != nil {
			t.Errorf("%q: the socket's folder stays: %v", name, err)
		}
	}
}
