package pgserver

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
)

// newHome returns a folder for the user's files, which the account of PostgreSQL may
// enter too.
func newHome(t *testing.T) string {
	t.Helper()
	home, err := os.MkdirTemp("", "cdocs-home-") //nolint:usetesting // others may not enter that of t.TempDir
	if err == nil {
		err = os.Chmod(home, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if _, err := New(home, slog.New(slog.DiscardHandler)).Stop(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
		if err := os.RemoveAll(home); err != nil {
			t.Error(err)
		}
	})
	return home
}

// newServer returns a server that starts faster than a user's. The test is skipped on a
// machine without PostgreSQL.
func newServer(t *testing.T, home string) *Server {
	t.Helper()
	if _, err := Find(t.Context()); errors.Is(err, ErrNotInstalled) {
		t.Skip(err)
	}
	s := New(home, slog.New(slog.NewTextHandler(t.Output(), nil)))
	s.settings, s.initdb = []string{"fsync=off"}, []string{"--no-sync"}
	t.Cleanup(s.Close)
	return s
}

func mustStart(t *testing.T, s *Server) (url string) {
	t.Helper()
	url, err := s.URL(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return url
}

// connect returns a connection that is closed when the test ends.
func connect(t *testing.T, url string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.WithoutCancel(t.Context())) })
	return conn
}

// query runs a statement over a connection of its own, and returns its one value.
func query(t *testing.T, url, statement string) (value string) {
	t.Helper()
	conn := connect(t, url)
	rows, err := conn.Query(t.Context(), statement, pgx.QueryExecModeSimpleProtocol)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := pgx.ForEachRow(rows, []any{&value}, func() error { return nil }); err != nil && rows.FieldDescriptions() != nil {
		t.Fatalf("%s: %v", statement, err)
	}
	return value
}

func processOf(t *testing.T, s *Server) (pid int, file string) {
	t.Helper()
	p, err := findPlace(s.home)
	if err != nil {
		t.Fatal(err)
	}
	cluster, _ := p.running(t.Context())
	server, err := readPostmaster(cluster.Data)
	if err != nil {
		t.Fatal(err)
	}
	return server.pid, filepath.Join(cluster.Data, postmasterFile)
}

// kill returns when the process has ended.
func kill(t *testing.T, pid int) {
	t.Helper()
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	for exists(pid) {
		time.Sleep(time.Millisecond)
	}
}

// A user's server is safe against a loss of power, and cannot be reached by others.
func TestServer_Settings(t *testing.T) {
	t.Parallel()
	s := newServer(t, newHome(t))
	s.settings, s.initdb = nil, nil
	url := mustStart(t, s)
	got := map[string]string{}
	for _, name := range []string{"fsync", "full_page_writes", "synchronous_commit", "listen_addresses", "unix_socket_permissions"} {
		got[name] = query(t, url, "SHOW "+name)
	}
	want := map[string]string{
		"fsync": "on", "full_page_writes": "on", "synchronous_commit": "on",
		"listen_addresses": "", "unix_socket_permissions": "0700",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("settings (-want +got):\n%s", diff)
	}
	socket := query(t, url, "SHOW unix_socket_directories")
	for _, folder := range []string{socket, query(t, url, "SHOW data_directory")} {
		if info, err := os.Stat(folder); err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("folder %s: %v, %v; want it closed to others", folder, info.Mode(), err)
		}
	}
}

// Servers that start at the same instant with no cluster yet make one.
func TestServer_ManyAtOnce(t *testing.T) {
	t.Parallel()
	home := newHome(t)
	const servers = 4
	urls := make([]string, servers)
	var starting sync.WaitGroup
	for i := range servers {
		s := newServer(t, home)
		starting.Go(func() { urls[i], _ = s.URL(t.Context()) })
	}
	starting.Wait()
	clusters := map[string]bool{}
	for _, url := range urls {
		clusters[query(t, url, "SELECT system_identifier || ' ' || pg_postmaster_start_time() FROM pg_control_system()")] = true
	}
	if len(clusters) != 1 {
		t.Errorf("%d clusters and starts, want 1: %v", len(clusters), clusters)
	}
}

func TestServer_Killed(t *testing.T) {
	t.Parallel()
	s := newServer(t, newHome(t))
	url := mustStart(t, s)
	query(t, url, "CREATE TABLE kept AS SELECT 7 AS n")
	account, err := ServerAccount() // PostgreSQL asks of processes of its own account alone
	if err != nil {
		t.Fatal(err)
	}
	other := exec.Command("sleep", "600")
	other.SysProcAttr = attributes(account, false)
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = other.Process.Kill(); _ = other.Wait() })
	unasked := exec.Command("true") // ended, and its parent does not ask
	unasked.SysProcAttr = attributes(account, false)
	if err := unasked.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unasked.Wait() })

	var backend int // of a client
	tests := []struct {
		name  string
		hangs bool // a process of the server goes on for a while
		then  func(file string) error
	}{
		{"alone", false, func(string) error { return nil }},
		{"a process of it goes on", true, func(string) error {
			time.AfterFunc(time.Second/2, func() { _ = syscall.Kill(backend, syscall.SIGCONT) })
			return nil
		}},
		{"another process gets its number", false, func(file string) error { return setProcess(file, other.Process.Pid) }},
		{"an ended process keeps its number", false, func(file string) error { return setProcess(file, unasked.Process.Pid) }},
		{"its file is cut short", false, func(file string) error { return os.Truncate(file, 0) }},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if err := connect(t, url).QueryRow(t.Context(), "SELECT pg_backend_pid()").Scan(&backend); err != nil {
				t.Fatal(err)
			}
			if test.hangs {
				if err := syscall.Kill(backend, syscall.SIGSTOP); err != nil {
					t.Fatal(err)
				}
			}
			pid, file := processOf(t, s)
			kill(t, pid)
			if err := test.then(file); err != nil {
				t.Fatal(err)
			}
			began := time.Now()
			if again := mustStart(t, s); again != url {
				t.Errorf("URL %s, and then %s", url, again)
			}
			if took := time.Since(began); took > 5*time.Second {
				t.Errorf("it took %s to start again", took)
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
	s := newServer(t, newHome(t))
	url := mustStart(t, s)
	if err := os.Remove(socketPath(query(t, url, "SHOW unix_socket_directories"), port)); err != nil {
		t.Fatal(err)
	}
	if got := query(t, mustStart(t, s), "SELECT '1'"); got != "1" {
		t.Errorf("the server answers %q", got)
	}
}

// A stop holds for those who knew the server before, until somebody starts it.
func TestServer_Stopped(t *testing.T) {
	t.Parallel()
	home := newHome(t)
	before := newServer(t, home)
	url := mustStart(t, before)
	ran, err := newServer(t, home).Stop(t.Context())
	if err != nil || !ran {
		t.Fatalf("stop: %t, %v", ran, err)
	}
	if _, err := pgx.Connect(t.Context(), url); err == nil {
		t.Error("the server runs after the stop")
	}
	problem := new(Error)
	if _, err := before.URL(t.Context()); !errors.As(err, &problem) || problem.Hint != "run: compound-docs up" {
		t.Errorf("a server that was stopped: %v, want that it says how to start it", err)
	}
	if ran, err := before.Stop(t.Context()); ran || err != nil {
		t.Errorf("a second stop: %t, %v", ran, err)
	}
	time.Sleep(10 * time.Millisecond) // a file's time is that of the last tick
	mustStart(t, newServer(t, home))
	if got := query(t, mustStart(t, before), "SELECT '1'"); got != "1" {
		t.Errorf("after another start: %q", got)
	}
}

// What an interrupted process has left is no cluster, and goes.
func TestServer_Interrupted(t *testing.T) {
	t.Parallel()
	home := newHome(t)
	half := filepath.Join(home, "postgres", "new-HALF")
	if err := os.MkdirAll(filepath.Join(half, "base"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(half, "PG_VERSION"), []byte("15\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	mustStart(t, newServer(t, home))
	if _, err := os.Stat(half); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the unfinished cluster is left: %v", err)
	}
}

// Processes that know the home by different names have one server.
func TestServer_LinkedHome(t *testing.T) {
	t.Parallel()
	home := newHome(t)
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(filepath.Dir(home), link); err != nil {
		t.Fatal(err)
	}
	first := mustStart(t, newServer(t, filepath.Join(link, filepath.Base(home))))
	pid, _ := processOf(t, newServer(t, home))
	if second := mustStart(t, newServer(t, home)); second != first {
		t.Errorf("one server has the URL %s, another %s", first, second)
	}
	if again, _ := processOf(t, newServer(t, home)); again != pid {
		t.Error("the second has started another server")
	}
}

func TestServer_LongHome(t *testing.T) {
	t.Parallel()
	home := filepath.Join(newHome(t), strings.Repeat("a-long-name/", 10))
	s := newServer(t, home)
	socket := query(t, mustStart(t, s), "SHOW unix_socket_directories")
	t.Cleanup(func() {
		_, err := s.Stop(context.WithoutCancel(t.Context()))
		if err = errors.Join(err, os.RemoveAll(socket)); err != nil {
			t.Error(err)
		}
	})
	if !strings.HasPrefix(socket, shortSocket) {
		t.Errorf("the socket is in %s", socket)
	}
}

// The account of PostgreSQL cannot enter a root's own home.
func TestFindPlace_OfRoot(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root runs PostgreSQL under another account")
	}
	open := newHome(t)
	closed := filepath.Join(open, "closed")
	if err := os.Mkdir(closed, 0o700); err != nil {
		t.Fatal(err)
	}
	for home, want := range map[string]string{open: open, closed: rootFolder} {
		p, err := findPlace(home)
		if err != nil {
			t.Fatal(err)
		}
		if filepath.Dir(p.folder) != want {
			t.Errorf("with its home in %s its folder is %s, want it in %s", home, p.folder, want)
		}
	}
}

// A caller that leaves does not end the start that others wait for.
func TestServer_CallerLeaves(t *testing.T) {
	t.Parallel()
	s := newServer(t, newHome(t))
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.URL(gone); !errors.Is(err, context.Canceled) {
		t.Errorf("a call that was cancelled: %v", err)
	}
	if got := query(t, mustStart(t, s), "SELECT '1'"); got != "1" {
		t.Errorf("the server answers %q", got)
	}
	s.Close()
	if _, err := s.URL(t.Context()); !errors.Is(err, errClosed) {
		t.Errorf("a call after Close: %v", err)
	}
}
