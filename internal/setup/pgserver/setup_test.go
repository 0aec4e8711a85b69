package pgserver

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/compound-docs/compound-docs/test/postgres"
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

// prepared is the home of a cluster on which no server has run.
//
//nolint:gochecknoglobals // tests of a package share only the process
var prepared struct {
	once sync.Once
	home string
	err  error
}

// prepare makes the home.
func prepare(ctx context.Context, installed Installation) (err error) {
	if prepared.home, err = os.MkdirTemp("", "cdocs-home-"); err != nil {
		return err
	}
	if err := os.Chmod(prepared.home, 0o755); err != nil {
		return err
	}
	l, err := layoutOf(prepared.home)
	if err != nil {
		return err
	}
	if err := l.make(); err != nil {
		return err
	}
	s := New(prepared.home, slog.New(slog.DiscardHandler))
	s.initdb = []string{"--no-sync"}
	_, err = s.prepare(ctx, l, installed)
	return err
}

// homeWithCluster is newHome with a copy of a new cluster, for the tests that do not look at how one
// is made: initdb takes as long as all the rest of such a test.
func homeWithCluster(t *testing.T) string {
	t.Helper()
	home, installed := newHome(t), find(t)
	prepared.once.Do(func() { prepared.err = prepare(t.Context(), installed) })
	if prepared.err != nil {
		t.Fatal(prepared.err)
	}
	if out, err := exec.CommandContext(t.Context(), "cp", "-a", prepared.home+"/.", home).CombinedOutput(); err != nil {
		t.Fatalf("copy a cluster: %v\n%s", err, out)
	}
	return home
}

// programs returns the folder of the PostgreSQL that make test has chosen, or of the bundled one. It is ""
// if neither is there.
func programs(t *testing.T) string {
	t.Helper()
	if named := os.Getenv("CDOCS_POSTGRES"); named != "" {
		return named
	}
	folder, err := postgres.Fetch(t.Context(), runtime.GOOS, runtime.GOARCH)
	if errors.Is(err, postgres.ErrNoPip) || errors.Is(err, postgres.ErrNotBuilt) {
		t.Log(err)
		return ""
	}
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(folder, postgres.Bin)
}

// find skips the test on a machine without PostgreSQL.
func find(t *testing.T) Installation {
	t.Helper()
	installed, err := Find(t.Context(), programs(t))
	if errors.Is(err, ErrNotInstalled) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return installed
}

// newServer returns a server that starts faster than a user's. The test is skipped on a
// machine without PostgreSQL.
func newServer(t *testing.T, home string) *Server {
	t.Helper()
	find(t)
	s := New(home, slog.New(slog.NewTextHandler(t.Output(), nil)))
	s.Programs = programs(t)
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

// query runs a statement over a new connection, and returns its one value.
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
	p, err := layoutOf(s.home)
	if err != nil {
		t.Fatal(err)
	}
	cluster, _ := p.running(t.Context())
	pid, _, _, err = cluster.readPostmaster()
	if err != nil {
		t.Fatal(err)
	}
	return pid, filepath.Join(cluster.Data, postmasterFile)
}

// kill returns when the process has ended.
func kill(t *testing.T, pid int) {
	t.Helper()
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	for !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
		time.Sleep(time.Millisecond)
	}
}
