package testenv

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"

	"github.com/jackc/pgx/v5"
)

const (
	clusterPrefix = "cdocs-pg-"
	superuser     = "postgres"

	// maxSocketPath is the shortest limit among Unixes for the path of a socket,
	// macOS's, with its terminating zero.
	maxSocketPath = 104
	socketName    = ".s.PGSQL.5432"
)

// startCluster makes a PostgreSQL cluster in a temporary folder and starts it.
// It is reached over a Unix socket in that folder only, which is closed to
// other users. It trades durability for speed.
func startCluster(ctx context.Context, logf Logf) (_ *Database, err error) {
	found, err := findPostgres(ctx)
	if err != nil {
		return nil, err
	}
	credential, err := serverAccount()
	if err != nil {
		return nil, err
	}
	folder, err := newScratch(ctx, clusterParent(), clusterPrefix, logf)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, folder.remove())
		}
	}()
	if credential != nil {
		if err := os.Chown(folder.path, int(credential.Uid), int(credential.Gid)); err != nil {
			return nil, fmt.Errorf("hand a folder to PostgreSQL's account: %w", err)
		}
	}
	server, err := runCluster(ctx, found, folder.path, credential)
	if err != nil {
		return nil, err
	}
	return &Database{
		URL:   socketURL(folder.path, "postgres"),
		Route: "private cluster",
		// SIGQUIT is an immediate shutdown: there is nothing to keep.
		stop: func() error { return errors.Join(server.stop(syscall.SIGQUIT), folder.remove()) },
	}, nil
}

// runCluster makes a cluster in a folder, starts it and waits until it answers.
func runCluster(ctx context.Context, found installation, folder string, credential *syscall.Credential) (*process, error) {
	data := filepath.Join(folder, "data")
	locale := "C"
	if runtime.GOOS == "linux" {
		locale = "C.UTF-8" // knows upper and lower case of all letters; macOS has no such locale
	}
	environment := []string{"PATH=" + os.Getenv("PATH"), "LC_ALL=" + locale}

	initdb := exec.CommandContext(ctx, filepath.Join(found.bin, "initdb"), //nolint:gosec // a program found by findPostgres
		"--pgdata", data, "--username", superuser, "--auth", "trust",
		"--encoding", "UTF8", "--locale", locale, "--no-sync", "--no-instructions")
	initdb.Dir, initdb.Env = folder, environment
	initdb.SysProcAttr = childAttributes(credential, syscall.SIGKILL)
	if text, err := initdb.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("initdb: %w\n%s", err, lastLines(text))
	}

	postgres := exec.Command(filepath.Join(found.bin, "postgres"), "-D", data) //nolint:gosec,noctx // outlives ctx
	for _, setting := range []string{
		"listen_addresses=",
		"unix_socket_directories=" + folder,
		"unix_socket_permissions=0700",
		"max_connections=200",
		"shared_buffers=128MB",
		"fsync=off",
		"synchronous_commit=off",
		"full_page_writes=off",
		"lc_messages=C",
	} {
		postgres.Args = append(postgres.Args, "-c", setting)
	}
	postgres.Dir, postgres.Env = folder, environment
	postgres.SysProcAttr = childAttributes(credential, syscall.SIGQUIT)
	server, err := startProcess(postgres)
	if err != nil {
		return nil, err
	}
	if err := server.waitUntil(ctx, func(ctx context.Context) error {
		conn, err := pgx.Connect(ctx, socketURL(folder, "postgres"))
		if err != nil {
			return err //nolint:wrapcheck // waitUntil does
		}
		return conn.Close(ctx)
	}); err != nil {
		return nil, errors.Join(err, server.stop(syscall.SIGQUIT))
	}
	return server, nil
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

// clusterParent returns the folder for clusters: the user's temporary folder,
// unless other accounts may not enter it or a socket's path would be too long.
func clusterParent() string {
	parent := os.TempDir()
	if os.Geteuid() == 0 || len(filepath.Join(parent, clusterPrefix+"1234567890", socketName)) >= maxSocketPath {
		return "/tmp"
	}
	return parent
}

// lastLines returns the end of a program's output, for an error.
func lastLines(text []byte) []byte {
	const most = 2000 // bytes
	text = bytes.TrimSpace(text)
	if len(text) > most {
		text = text[len(text)-most:]
	}
	return text
}
