package pgserver

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/gofrs/flock"
)

// layout says where a user's server has its files. The folder has
//
//	15/        the data of PostgreSQL 15; complete as soon as it has that name
//	new-…/     data that is being made, or whose making was interrupted
//	run/       the socket
//	lock       held by the process that makes, starts or stops the server
//	stopped    there after a stop, until the next start
//	log        of the server
type layout struct {
	folder, socket string
	account        *Account
	accountErr     error // why no server can run here
}

// rootFolder is for root if the server's account cannot enter root's home. shortSocket is for a
// folder that cannot hold a socket, see [FitsSocket]. A hash of the home follows both.
const (
	rootFolder  = "/var/lib/compound-docs"
	shortSocket = "/tmp/compound-docs-"
)

func layoutOf(home string) (layout, error) {
	home, err := filepath.Abs(home)
	if err == nil {
		home, err = realPath(home)
	}
	if err != nil {
		return layout{}, fmt.Errorf("find the user's folder: %w", err)
	}
	const enough = 6 // bytes
	hash := sha256.Sum256([]byte(home))
	id := hex.EncodeToString(hash[:enough])
	l := layout{folder: filepath.Join(home, "postgres")}
	l.account, l.accountErr = ServerAccount()
	if l.account != nil && !reaches(home) {
		l.folder = filepath.Join(rootFolder, id)
	}
	if l.socket = filepath.Join(l.folder, "run"); !FitsSocket(l.socket) {
		l.socket = shortSocket + id
	}
	return l, nil
}

// realPath returns an absolute path without symbolic links, so that processes with different paths
// of one folder agree on it. The end of the path may be missing.
func realPath(path string) (string, error) {
	real, err := filepath.EvalSymlinks(path)
	if above := filepath.Dir(path); errors.Is(err, fs.ErrNotExist) && above != path {
		real, err = realPath(above)
		return filepath.Join(real, filepath.Base(path)), err
	}
	return real, err
}

// find returns the PostgreSQL of this machine that can run here.
func (l layout) find(ctx context.Context) (Installation, error) {
	installed, err := Find(ctx)
	if err == nil {
		err = l.accountErr
	}
	return installed, err
}

// make makes the folder. The server's account may enter it and not write to it, with any umask.
func (l layout) make() error {
	const private, passable = 0o700, 0o711
	if l.account == nil {
		return os.MkdirAll(l.folder, private)
	}
	parent := filepath.Dir(l.folder)
	_, err := os.Stat(parent)
	parentIsNew := errors.Is(err, fs.ErrNotExist)
	if err := os.MkdirAll(l.folder, passable); err != nil {
		return err
	}
	if parentIsNew {
		if err := os.Chmod(parent, passable); err != nil {
			return err
		}
	}
	return os.Chmod(l.folder, passable)
}

// lockWait is how long a process waits for the lock: the holder may be pulling an image.
const lockWait = 20 * time.Second

// lock excludes other processes until unlock is called or this process ends. It fails after wait.
func (l layout) lock(ctx context.Context, wait time.Duration) (unlock func(), err error) {
	if err := l.make(); err != nil {
		return nil, &Error{Err: err, Hint: "set CDOCS_HOME to a folder that this user may write to"}
	}
	lock := flock.New(filepath.Join(l.folder, "lock"))
	limited, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	const retry = 50 * time.Millisecond
	_, err = lock.TryLockContext(limited, retry)
	switch {
	case err == nil:
		return func() { _ = lock.Unlock() }, nil // it closes the file, which is enough
	case limited.Err() != nil && ctx.Err() == nil:
		return nil, &Error{
			Err: fmt.Errorf(
				"another process is starting or stopping PostgreSQL: it has held the lock %s for more than %s", lock.Path(), wait),
			Hint: "wait until it is done; or find it with: fuser -v " + lock.Path() + ", and end it (no data is lost); then try again",
		}
	}
	return nil, fmt.Errorf("lock %s: %w", lock.Path(), err)
}

func (l layout) marker() string { return filepath.Join(l.folder, "stopped") }

// stoppedAfter reports whether the server was stopped after a time, and not started since.
func (l layout) stoppedAfter(since time.Time) bool {
	info, err := os.Stat(l.marker())
	return err == nil && info.ModTime().After(since)
}

// cluster returns the cluster of a version. The caller sets its programs.
func (l layout) cluster(major int) Cluster {
	return Cluster{Data: filepath.Join(l.folder, strconv.Itoa(major)), Socket: l.socket, Account: l.account}
}

// clusters returns the cluster of each version that has data here. All have one socket.
func (l layout) clusters() []Cluster {
	var clusters []Cluster
	entries, _ := os.ReadDir(l.folder) // an error means an empty folder
	for _, entry := range entries {
		if major, err := strconv.Atoi(entry.Name()); err == nil {
			clusters = append(clusters, l.cluster(major))
		}
	}
	return clusters
}

// running returns the cluster whose server accepts connections. The cluster's programs are not set.
func (l layout) running(ctx context.Context) (Cluster, bool) {
	for _, cluster := range l.clusters() {
		if cluster.Ready(ctx) == nil {
			return cluster, true
		}
	}
	return Cluster{}, false
}
