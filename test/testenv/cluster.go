package testenv

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"syscall"

	"github.com/jackc/pgx/v5"

	"github.com/compound-docs/compound-docs/test/tail"
)

const (
	clusterPrefix = "cdocs-pg-"
	superuser     = "postgres"

	// maxSocketPath is the shortest limit among Unixes for the path of a socket,
	// macOS's, with its terminating zero.
	maxSocketPath = 104
	socketName    = ".s.PGSQL.5432"

	// memoryFolder is Linux's file system in memory, and memoryNeeded what has to
	// be free there, in bytes: all tests at once use about a third.
	memoryFolder = "/dev/shm"
	memoryNeeded = 4 << 30
)

// startCluster makes a PostgreSQL cluster in a temporary folder and starts it.
// It is reached over a Unix socket in that folder only, which is closed to
// other users. It trades durability for speed.
func startCluster(ctx context.Context, size Size, logf Logf) (_ *Database, err error) {
	c, folder, err := newCluster(ctx, size, logf)
	if err != nil {
		return nil, err
	}
	server, err := c.serve(ctx)
	if err != nil {
		return nil, errors.Join(err, folder.remove())
	}
	return &Database{
		URL:   socketURL(c.folder, "postgres"),
		Route: "private cluster",
		// SIGQUIT is an immediate shutdown: there is nothing to keep.
		stop: func() error { return errors.Join(server.stop(syscall.SIGQUIT), folder.remove()) },
	}, nil
}

// newCluster makes a cluster in a temporary folder, which the caller removes.
func newCluster(ctx context.Context, size Size, logf Logf) (c cluster, folder *scratch, err error) {
	found, err := findPostgres(ctx)
	if err != nil {
		return cluster{}, nil, err
	}
	credential, err := serverAccount()
	if err != nil {
		return cluster{}, nil, err
	}
	folder, err = newScratch(clusterParent(size), clusterPrefix, logf)
	if err != nil {
		return cluster{}, nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, folder.remove())
		}
	}()
	if credential != nil {
		if err := os.Chown(folder.path, int(credential.Uid), int(credential.Gid)); err != nil {
			return cluster{}, nil, fmt.Errorf("hand a folder to PostgreSQL's account: %w", err)
		}
	}
	c = cluster{bin: found.bin, folder: folder.path, credential: credential, size: size}
	return c, folder, c.create(ctx)
}

// cluster is a PostgreSQL cluster in a folder, running or not.
type cluster struct {
	bin        string // folder of PostgreSQL's programs
	folder     string
	credential *syscall.Credential // of the servers; nil for this process's
	size       Size
}

func (c cluster) data() string { return filepath.Join(c.folder, "data") }

// environment is that of PostgreSQL's programs. The cluster takes its locale from it.
func (c cluster) environment() []string {
	locale := "C"
	if runtime.GOOS == "linux" {
		locale = "C.UTF-8" // knows upper and lower case of all letters; macOS has no such locale
	}
	return []string{"PATH=" + os.Getenv("PATH"), "LC_ALL=" + locale}
}

// create makes the cluster's files.
func (c cluster) create(ctx context.Context) error {
	initdb := exec.CommandContext(ctx, filepath.Join(c.bin, "initdb"), //nolint:gosec // a program found by findPostgres
		"--pgdata", c.data(), "--username", superuser, "--auth", "trust",
		"--encoding", "UTF8", "--no-sync", "--no-instructions")
	initdb.Dir, initdb.Env = c.folder, c.environment()
	initdb.SysProcAttr = childAttributes(c.credential, syscall.SIGKILL)
	if text, err := initdb.CombinedOutput(); err != nil {
		return fmt.Errorf("initdb: %w\n%s", err, tail.Of(text))
	}
	return nil
}

// serve starts a server on the cluster, with settings on top of those that trade
// durability for speed, and waits until it answers.
func (c cluster) serve(ctx context.Context, settings ...string) (*process, error) {
	postgres := exec.Command(filepath.Join(c.bin, "postgres"), "-D", c.data()) //nolint:gosec,noctx // outlives ctx
	for _, setting := range slices.Concat(fastSettings(c.size), []string{
		"listen_addresses=",
		"unix_socket_directories=" + c.folder,
		"unix_socket_permissions=0700",
	}, settings) {
		postgres.Args = append(postgres.Args, "-c", setting)
	}
	postgres.Dir, postgres.Env = c.folder, c.environment()
	postgres.SysProcAttr = childAttributes(c.credential, syscall.SIGQUIT)
	server, err := startProcess(postgres)
	if err != nil {
		return nil, err
	}
	if err := server.waitUntil(ctx, func(ctx context.Context) error {
		conn, err := pgx.Connect(ctx, socketURL(c.folder, "postgres"))
		if err != nil {
			return err //nolint:wrapcheck // waitUntil does
		}
		return conn.Close(ctx)
	}); err != nil {
		return nil, errors.Join(err, server.stop(syscall.SIGQUIT))
	}
	return server, nil
}

// fastSettings trade a server's durability for speed.
func fastSettings(size Size) []string {
	buffers := uint64(128)
	if size == Large {
		const megabyte, share = 1 << 20, 4
		buffers = max(buffers, totalMemory()/megabyte/share)
	}
	return []string{
		"max_connections=200",
		fmt.Sprintf("shared_buffers=%dMB", buffers),
		"fsync=off",
		"synchronous_commit=off",
		"full_page_writes=off",
		"lc_messages=C",
	}
}

// serverAccount returns the account for PostgreSQL to run under: it refuses to
// be root. nil stands for the account of this process.
func serverAccount() (*syscall.Credential, error) {
	if os.Geteuid() != 0 {
		return nil, nil //nolint:nilnil // as documented
	}
	for _, name := range []string{"postgres", "nobody"} {
		account, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, err := strconv.ParseUint(account.Uid, 10, 32)
		if err != nil {
			return nil, fmt.Errorf("user id of %s: %w", name, err)
		}
		gid, err := strconv.ParseUint(account.Gid, 10, 32)
		if err != nil {
			return nil, fmt.Errorf("group id of %s: %w", name, err)
		}
		return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, nil
	}
	return nil, errors.New("PostgreSQL does not run as root, and there is no account postgres or nobody to run it under")
}

// clusterParent returns the folder for clusters. On disk that is the user's
// temporary folder, unless other accounts may not enter it or a socket's path
// would be too long.
func clusterParent(size Size) string {
	if size.inMemory() {
		return memoryFolder
	}
	parent := os.TempDir()
	if os.Geteuid() == 0 || len(filepath.Join(parent, clusterPrefix+"1234567890", socketName)) >= maxSocketPath {
		return "/tmp"
	}
	return parent
}
