package pgserver

import (
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
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
		then func(file string) error
	}{
		{"alone", func(string) error { return nil }},
		{"another process gets its number", func(file string) error { return setProcess(file, other.Process.Pid) }},
		{"an ended process keeps its number", func(file string) error { return setProcess(file, unasked.Process.Pid) }},
		{"its file is cut short", func(file string) error { return os.Truncate(file, 0) }},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			pid, file := processOf(t, s)
			kill(t, pid)
			if err := test.then(file); err != nil {
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

// setProcess changes the number of the process in a postmaster.pid.
func setProcess(file string, pid int) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	_, rest, _ := strings.Cut(string(text), "\n")
	return os.WriteFile(file, []byte(strconv.Itoa(pid)+"\n"+rest), 0o600)
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
