package pgserver

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5/pgproto3"
)

func TestServer_Killed(t *testing.T) {
	t.Parallel()
	s := newServer(t, homeWithCluster(t))
	url := mustStart(t, s)
	query(t, url, "CREATE TABLE kept AS SELECT 7 AS n")
	account, err := ServerAccount() // PostgreSQL sees only processes of its account
	if err != nil {
		t.Fatal(err)
	}
	other := exec.Command("sleep", "600")
	other.SysProcAttr = attributes(account)
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = other.Process.Kill(); _ = other.Wait() })
	unasked := exec.Command("true") // ended, and its parent does not ask
	unasked.SysProcAttr = attributes(account)
	if err := unasked.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unasked.Wait() })

	tests := []struct {
		name string
		busy bool // with a query that does not notice its server's end
		then func(files ...string) error
	}{
		{"alone", false, func(...string) error { return nil }},
		{"during a query", true, func(...string) error { return nil }},
		{"another process gets its number", false, func(files ...string) error { return setProcess(other.Process.Pid, files...) }},
		{"an ended process keeps its number", false, func(files ...string) error { return setProcess(unasked.Process.Pid, files...) }},
		{"its file is cut short", false, func(files ...string) error { return os.Truncate(files[0], 0) }},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			pid, file := processOf(t, s)
			lock := socketPath(query(t, url, "SHOW unix_socket_directories")) + ".lock"
			if test.busy {
				conn := connect(t, url).PgConn()
				conn.Frontend().SendQuery(&pgproto3.Query{String: "SELECT count(*) FROM generate_series(1, 5000000)"})
				if err := conn.Frontend().Flush(); err != nil {
					t.Fatal(err)
				}
			}
			kill(t, pid)
			if err := test.then(file, lock); err != nil {
				t.Fatal(err)
			}
			if again := mustStart(t, s); again != url {
				t.Errorf("URL %s, and then %s", url, again)
			}
			if n := query(t, url, "SELECT n::text FROM kept"); n != "7" {
				t.Errorf("the table holds %q", n)
			}
		})
	}
}

// setProcess changes the number of the process in a postmaster.pid and in the lock of a socket.
func setProcess(pid int, files ...string) error {
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		_, rest, _ := strings.Cut(string(text), "\n")
		if err := os.WriteFile(file, []byte(strconv.Itoa(pid)+"\n"+rest), 0o600); err != nil {
			return err
		}
	}
	return nil
}

// A server that nobody can reach any more is started again.
func TestServer_SocketRemoved(t *testing.T) {
	t.Parallel()
	s := newServer(t, homeWithCluster(t))
	url := mustStart(t, s)
	if err := os.Remove(socketPath(query(t, url, "SHOW unix_socket_directories"))); err != nil {
		t.Fatal(err)
	}
	if got := query(t, mustStart(t, s), "SELECT '1'"); got != "1" {
		t.Errorf("the server answers %q", got)
	}
}

// The account of PostgreSQL may put anything into its folder. What is not its own file changes no other one, and
// nobody waits for it.
func TestServer_OpensItsOwnFilesOnly(t *testing.T) {
	t.Parallel()
	home := homeWithCluster(t)
	victim := filepath.Join(t.TempDir(), "victim")
	const text = "12345\nprecious line\n"
	if err := os.WriteFile(victim, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	l, err := layoutOf(home)
	if err != nil {
		t.Fatal(err)
	}
	data := l.clusters()[0].Data
	tests := []struct {
		name, path string
		make       func(path string) error
		want       string
	}{
		{"link to a file", filepath.Join(data, postmasterFile), func(path string) error { return os.Symlink(victim, path) }, "symbolic link"},
		{"named pipe", filepath.Join(data, postmasterFile), func(path string) error { return syscall.Mkfifo(path, 0o666) }, "neither file nor folder"},
		{"folder of root's", l.socket, func(path string) error { return os.Mkdir(path, 0o700) }, "another account's"},
		{"link in place of the socket's folder", l.socket, func(path string) error { return os.Symlink(t.TempDir(), path) }, "set CDOCS_HOME"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if l.account == nil && test.want == "another account's" {
				t.Skip("only root runs PostgreSQL under another account")
			}
			if err := os.RemoveAll(test.path); err != nil {
				t.Fatal(err)
			}
			if err := test.make(test.path); err != nil {
				t.Fatal(err)
			}
			_, err := newServer(t, home).URL(t.Context())
			if err == nil || !strings.Contains(err.Error(), test.path) || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want one with %s and %q", err, test.path, test.want)
			}
			if got, err := os.ReadFile(victim); string(got) != text || err != nil {
				t.Errorf("the other file holds %q, %v", got, err)
			}
			if err := os.Remove(test.path); err != nil {
				t.Fatal(err)
			}
		})
	}
}
