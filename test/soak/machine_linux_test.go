package soak_test

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sys/unix"

	"github.com/compound-docs/compound-docs/test/fakeollama"
	"github.com/compound-docs/compound-docs/test/indexstate"
	"github.com/compound-docs/compound-docs/test/mcpclient"
	"github.com/compound-docs/compound-docs/test/testenv"
)

// machine is a server on a repository, on a machine that lacks something for a while.
type machine struct {
	*server

	repo *repository
	in   mcpclient.Installation
}

// newMachine has the server index the repository before it returns.
func newMachine(t *testing.T, repo *repository, databaseURL string) *machine {
	t.Helper()
	m := &machine{repo: repo, in: install(t, repo.Root, databaseURL, fakeollama.Start(t), 100)}
	var err error
	if m.server, err = start(t.Context(), m.in); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.kill)
	if err := m.Activate(t.Context(), m.in.Config(), "main"); err != nil {
		t.Fatal(err)
	}
	return m
}

// settles fails the test if the index does not become that of the files.
func (m *machine) settles(t *testing.T) {
	t.Helper()
	want := freshIndex(t, m.in, indexstate.OpenPool(t, testenv.IndexURL(t)), "main")
	diff, err := indexstate.Difference(t.Context(), indexstate.OpenPool(t, m.in.DatabaseURL), "main", want)
	if err != nil || diff != "" {
		t.Errorf("the index differs from the files: %v (-want +got):\n%.4000s\nthe server says:\n%s", err, diff, m.Log)
	}
}

// fails checks that a call fails with a code and words.
func (m *machine) fails(t *testing.T, tool string, arguments map[string]any, code, words string) {
	t.Helper()
	_, err := m.Text(t.Context(), tool, arguments)
	failure, ok := errors.AsType[*mcpclient.ToolError](err)
	if !ok || failure.Code != code || !strings.Contains(failure.Message, words) {
		t.Errorf("%s: %v, want %s with %q", tool, err, code, words)
	}
}

// works checks that a call succeeds.
func (m *machine) works(t *testing.T, tool string, arguments map[string]any) {
	t.Helper()
	if _, err := m.Text(t.Context(), tool, arguments); err != nil {
		t.Errorf("%s: %v", tool, err)
	}
}

var byWords = map[string]any{"query": "matter", "mode": "lexical"}

// mountMemory mounts a small file system on a folder until the test ends, or skips it.
func mountMemory(t *testing.T, folder, options string) {
	t.Helper()
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mount("none", folder, "tmpfs", 0, options); err != nil {
		t.Skipf("a small file system cannot be mounted, which takes root: %v", err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(folder, unix.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
}

// fill takes what room a file system has, and returns what gives it back.
func fill(t *testing.T, folder string) (empty func()) {
	t.Helper()
	ballast := filepath.Join(folder, "ballast")
	file, err := os.Create(ballast)
	for block := make([]byte, 4096); err == nil; {
		_, err = file.Write(block)
	}
	if !errors.Is(err, syscall.ENOSPC) || file.Close() != nil {
		t.Fatal(err)
	}
	return func() {
		if err := os.Remove(ballast); err != nil {
			t.Error(err)
		}
	}
}

func TestMachine_DiskOfTheDatabaseIsFull(t *testing.T) {
	t.Parallel()
	testenv.Slow(t, "faults of services and of the machine follow each other")
	cluster, repo := testenv.StartCluster(t), newRepository(t, 1)
	config, err := pgx.ParseConfig(cluster.URL())
	repo.Must(err)
	account, err := os.Stat(config.Host) // of the socket's folder
	repo.Must(err)
	owner := account.Sys().(*syscall.Stat_t) //nolint:errcheck // on Linux it is
	folder := filepath.Join(os.TempDir(), fmt.Sprint("cdocs-full-", os.Getpid()))
	t.Cleanup(func() { _ = os.Remove(folder) })
	mountMemory(t, folder, fmt.Sprintf("size=40m,mode=700,uid=%d,gid=%d", owner.Uid, owner.Gid))
	tables := filepath.Join(folder, "tables") // PostgreSQL takes an empty one alone
	repo.Must(errors.Join(os.Mkdir(tables, 0o700), os.Chown(tables, int(owner.Uid), int(owner.Gid))))
	admin, err := pgx.ConnectConfig(t.Context(), config)
	repo.Must(err)
	for _, statement := range []string{
		"CREATE TABLESPACE little LOCATION '" + tables + "'", "CREATE DATABASE little TEMPLATE template0 TABLESPACE little",
	} {
		if _, err := admin.Exec(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	u, err := url.Parse(cluster.URL())
	repo.Must(err)
	u.Path = "/little"
	m := newMachine(t, repo, u.String())

	empty := fill(t, folder)
	for range 200 {
		repo.Put(repo.newPath(repo.folder()), repo.document())
	}
	large := docsDir + "/problems/large.md"
	repo.Put(large, repo.document()+strings.Repeat("\n## More\n\n"+strings.Repeat("Many words. ", 200)+"\n", 500))
	m.fails(t, "index_document", map[string]any{"path": large}, "DATABASE_ERROR", "No space left on device; make room on the disk")
	m.works(t, "semantic_search", byWords)
	empty()
	m.settles(t)
	m.works(t, "index_document", map[string]any{"path": large})
}

func TestMachine_DiskOfTheDocumentsIsFull(t *testing.T) {
	t.Parallel()
	repo := newRepository(t, 2)
	folder := repo.Path(docsDir + "/problems/little")
	mountMemory(t, folder, "size=256k")
	name := docsDir + "/problems/little/doc.md"
	repo.Put(name, repo.document())
	before := repo.Read(name)
	m := newMachine(t, repo, testenv.DatabaseURL(t))
	promotion := map[string]any{"document_path": name, "promotion_level": "critical"}

	empty := fill(t, folder)
	m.fails(t, "update_promotion_level", promotion, "FILE_SYSTEM_ERROR", "make room on the disk")
	empty()
	repo.Must(unix.Mount("none", folder, "", unix.MS_REMOUNT|unix.MS_RDONLY, ""))
	m.fails(t, "update_promotion_level", promotion, "FILE_SYSTEM_ERROR", "read-only file system")
	m.works(t, "index_document", map[string]any{"path": name})
	m.works(t, "semantic_search", byWords)
	repo.Must(unix.Mount("none", folder, "", unix.MS_REMOUNT, ""))
	entries, err := os.ReadDir(folder)
	if err != nil || len(entries) != 1 || repo.Read(name) != before {
		t.Errorf("calls that failed have left %v, %v", entries, err)
	}
	m.works(t, "update_promotion_level", promotion)
	if !strings.Contains(repo.Read(name), "promotion_level: critical") {
		t.Error("the file does not have its new level")
	}
	m.settles(t)
}

func TestMachine_OutOfFileDescriptors(t *testing.T) {
	t.Parallel()
	m := newMachine(t, newRepository(t, 3), testenv.DatabaseURL(t))
	pid := m.Process().Pid
	var former unix.Rlimit
	m.repo.Must(unix.Prlimit(pid, unix.RLIMIT_NOFILE, nil, &former))
	// It keeps what it has open, and gets nothing new, even where it closes something.
	m.repo.Must(unix.Prlimit(pid, unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: 3, Max: former.Max}, nil))
	for range 30 {
		m.repo.step()
	}
	name := docsDir + "/problems/late.md"
	m.repo.Put(name, m.repo.document())
	m.fails(t, "index_document", map[string]any{"path": name}, "FILE_SYSTEM_ERROR", "too many open files; raise the limit")
	m.works(t, "ping", map[string]any{"message": "still there"})
	m.repo.Must(unix.Prlimit(pid, unix.RLIMIT_NOFILE, &former, nil))
	m.repo.Git("switch", "-q", "-f", "main")
	m.settles(t)
	m.works(t, "semantic_search", byWords)
}
