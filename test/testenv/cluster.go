package testenv

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/compound-docs/compound-docs/internal/setup/pgserver"
	"github.com/compound-docs/compound-docs/test/postgres"
)

const (
	clusterPrefix = "cdocs-pg-"

	// memoryFolder is Linux's file system in memory. memoryNeeded is how many bytes must be free
	// there: all tests at once use about a third.
	memoryFolder = "/dev/shm"
	memoryNeeded = 4 << 30
)

// startCluster makes a PostgreSQL cluster in a temporary folder and starts it.
// It is reached over a Unix socket in that folder only, which is closed to
// other users. It trades durability for speed.
func startCluster(ctx context.Context, size Size, logf Logf) (*Database, error) {
	c, folder, err := newCluster(ctx, size, logf, initialize)
	if err != nil {
		return nil, err
	}
	server, err := c.serve(ctx)
	if err != nil {
		return nil, errors.Join(err, folder.remove())
	}
	return &Database{
		URL:      c.URL(),
		Route:    "private cluster",
		Programs: c.Installation.Bin,
		// SIGQUIT is an immediate shutdown: there is nothing to keep.
		stop: func() error { return errors.Join(server.stop(syscall.SIGQUIT), folder.remove()) },
	}, nil
}

// initialize makes the files of a cluster.
func initialize(ctx context.Context, c cluster) error { return c.Init(ctx, "--no-sync") }

// newCluster makes a cluster in a temporary folder, which the caller removes. fill makes its
// files.
func newCluster(ctx context.Context, size Size, logf Logf, fill func(context.Context, cluster) error) (cluster, *scratch, error) {
	found, err := findPostgres(ctx)
	if err != nil {
		return cluster{}, nil, err
	}
	account, err := pgserver.ServerAccount()
	if err != nil {
		return cluster{}, nil, err
	}
	folder, err := newScratch(clusterParent(size), clusterPrefix, logf)
	if err != nil {
		return cluster{}, nil, err
	}
	c := cluster{
		Cluster: pgserver.Cluster{
			Installation: found, Data: filepath.Join(folder.path, "data"), Socket: folder.path, Account: account,
		},
		size: size,
	}
	if account != nil {
		err = os.Chown(folder.path, int(account.UID), int(account.GID))
	}
	if err := errors.Join(err, fill(ctx, c)); err != nil {
		return cluster{}, nil, errors.Join(err, folder.remove())
	}
	return c, folder, nil
}

// EnvPrograms names the folder of PostgreSQL's programs, for tests and for the program.
const EnvPrograms = "CDOCS_POSTGRES"

// findPostgres returns the PostgreSQL of native processes. EnvPrograms names it. Without a name it is
// the bundled one, or else this machine's. If EnvRoute asks for native processes, as in CI, this
// machine's comes before the program's.
func findPostgres(ctx context.Context) (pgserver.Installation, error) {
	if named := os.Getenv(EnvPrograms); named != "" {
		return pgserver.Find(ctx, named)
	}
	machines, hasOwn := MachinesPostgres(ctx)
	if hasOwn && os.Getenv(EnvRoute) == string(NativeRoute) {
		return machines, nil
	}
	bundled, err := findBundled(ctx)
	switch {
	case err != nil && hasOwn:
		return machines, nil
	case err != nil:
		return machines, fmt.Errorf("%w: %w; or set %s", pgserver.ErrNotInstalled, err, EnvDatabaseURL)
	}
	return bundled, nil
}

// MachinesPostgres returns the newest PostgreSQL with pgvector of this machine, and whether there is one. It looks
// where Debian and Homebrew put it, and on the PATH.
func MachinesPostgres(ctx context.Context) (newest pgserver.Installation, found bool) {
	var folders []string
	for _, pattern := range []string{"/usr/lib/postgresql/*/bin", "/opt/homebrew/opt/postgresql@*/bin"} {
		matches, _ := filepath.Glob(pattern) // the patterns are valid
		folders = append(folders, matches...)
	}
	onPath, _ := exec.CommandContext(ctx, "pg_config", "--bindir").Output() // none if it is not installed
	for _, folder := range append(folders, strings.TrimSpace(string(onPath))) {
		if folder == "" {
			continue
		}
		i, _ := pgserver.Find(ctx, folder) // the zero value without pgvector, or if it is too old
		if i.Major() > newest.Major() {
			newest, found = i, true
		}
	}
	return newest, found
}

// findBundled returns the PostgreSQL that comes with the program.
func findBundled(ctx context.Context) (pgserver.Installation, error) {
	folder, err := postgres.Fetch(ctx, runtime.GOOS, runtime.GOARCH)
	if err != nil {
		return pgserver.Installation{}, err
	}
	return pgserver.Find(ctx, filepath.Join(folder, postgres.Bin))
}

// Programs returns the folder of PostgreSQL's programs, for a test of the program's own database. It skips
// the test on a machine without PostgreSQL.
func Programs(t testing.TB) string {
	t.Helper()
	found, err := findPostgres(t.Context())
	if errors.Is(err, pgserver.ErrNotInstalled) {
		t.Skip("testenv:", err)
	}
	if err != nil {
		t.Fatal("testenv:", err)
	}
	return found.Bin
}

// cluster is a PostgreSQL cluster in a folder, running or not.
type cluster struct {
	pgserver.Cluster

	size Size
}

// serve starts a server on the cluster, with settings on top of those that trade
// durability for speed, and waits until it answers. The server ends with this process.
func (c cluster) serve(ctx context.Context, settings ...string) (*process, error) {
	arguments := append([]string{"-D", c.Data}, c.Settings(slices.Concat(fastSettings(c.size), settings)...)...)
	//nolint:gosec,noctx // found by Find; startProcess ends it
	postgres := exec.Command(filepath.Join(c.Installation.Bin, "postgres"), arguments...)
	postgres.Dir, postgres.Env = filepath.Dir(c.Data), []string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C"}
	postgres.SysProcAttr = childAttributes(c.credential(), syscall.SIGQUIT)
	server, err := startProcess(postgres)
	if err != nil {
		return nil, err
	}
	if err := server.waitUntil(ctx, c.Ready); err != nil {
		return nil, errors.Join(err, server.stop(syscall.SIGQUIT))
	}
	return server, nil
}

// credential is the account that PostgreSQL's programs run as; nil for this process's.
func (c cluster) credential() *syscall.Credential {
	if c.Account == nil {
		return nil
	}
	return &syscall.Credential{Uid: c.Account.UID, Gid: c.Account.GID}
}

// fastSettings trade a server's durability for speed.
func fastSettings(size Size) []string {
	buffers := uint64(128)
	if size == Large {
		const megabyte, share = 1 << 20, 4
		buffers = max(buffers, totalMemory()/megabyte/share)
	}
	return []string{
		"max_connections=1000",
		fmt.Sprintf("shared_buffers=%dMB", buffers),
		"fsync=off",
		"synchronous_commit=off",
		"full_page_writes=off",
		"lc_messages=C",
	}
}

// clusterParent returns the folder for clusters. On disk that is the user's
// temporary folder, unless other accounts may not enter it or a socket's path
// would be too long.
func clusterParent(size Size) string {
	if size.inMemory() {
		return memoryFolder
	}
	parent := os.TempDir()
	if os.Geteuid() == 0 || !pgserver.FitsSocket(filepath.Join(parent, clusterPrefix+"1234567890")) {
		return "/tmp"
	}
	return parent
}
