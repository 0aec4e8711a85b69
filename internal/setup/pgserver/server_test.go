package pgserver

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
)

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

// A stop holds for those who knew the server before, until somebody starts it.
func TestServer_Stopped(t *testing.T) {
	t.Parallel()
	home := homeWithCluster(t)
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
	mustStart(t, newServer(t, home))
	if got := query(t, mustStart(t, before), "SELECT '1'"); got != "1" {
		t.Errorf("after another start: %q", got)
	}
}

// The remains of an interrupted process are no cluster, and are removed.
func TestServer_Interrupted(t *testing.T) {
	t.Parallel()
	home := newHome(t)
	half := filepath.Join(home, "postgres", "new")
	if err := os.MkdirAll(filepath.Join(half, "base"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(half, "PG_VERSION"), []byte("15\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	mustStart(t, newServer(t, home))
	if exists(half) {
		t.Error("the unfinished cluster is left")
	}
}

// Processes that know the home by different names have one server.
func TestServer_LinkedHome(t *testing.T) {
	t.Parallel()
	home := homeWithCluster(t)
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

// The account of PostgreSQL cannot enter a root's own home.
func TestLayout_OfRoot(t *testing.T) {
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
		p, err := layoutOf(home)
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
