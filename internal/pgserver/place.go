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

// place is where the files of a user's server are. Its folder has
//
//	15/        the data of PostgreSQL 15, whole as soon as it has that name; unused if
//	           this machine has another version
//	new-…/     data that is being made, or whose making was interrupted
//	run/       the socket
//	lock       held by the process that makes, starts or stops the server
//	stopped    there after a stop, until the next start
//	log        of the server
type place struct {
	folder, socket string
	account        *Account
	accountErr     error // why no server can run here
}

// rootFolder is for root, if the server's account cannot enter root's home. shortSocket is
// for a folder that cannot hold a socket, see [FitsSocket]. A hash of the home follows both.
const (
	rootFolder  = "/var/lib/compound-docs"
	shortSocket = "/tmp/compound-docs-"
)

func findPlace(home string) (place, error) {
	home, err := realPath(home)
	if err != nil {
		return place{}, fmt.Errorf("find the user's folder: %w", err)
	}
	const enough = 6 // bytes
	hash := sha256.Sum256([]byte(home))
	id := hex.EncodeToString(hash[:enough])
	p := place{folder: filepath.Join(home, "postgres")}
	p.account, p.accountErr = ServerAccount()
	if p.account != nil && !reaches(home) {
		p.folder = filepath.Join(rootFolder, id)
	}
	if p.socket = filepath.Join(p.folder, "run"); !FitsSocket(p.socket) {
		p.socket = shortSocket + id
	}
	return p, nil
}

// find returns the PostgreSQL of this machine that can run in the place.
func (p place) find(ctx context.Context) (Installation, error) {
	found, err := Find(ctx)
	if err == nil {
		err = p.accountErr
	}
	return found, err
}

// realPath returns a path without symbolic links, so that processes with different paths of one
// folder agree on it. The end of the path may not exist.
func realPath(path string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	for existing, rest := path, ""; ; {
		real, err := filepath.EvalSymlinks(existing)
		if err == nil {
			return filepath.Join(real, rest), nil
		}
		if !errors.Is(err, fs.ErrNotExist) || existing == filepath.Dir(existing) {
			return "", err
		}
		existing, rest = filepath.Dir(existing), filepath.Join(filepath.Base(existing), rest)
	}
}

// make makes the folder, which the server's account may enter but not write to, whatever the
// umask is.
func (p place) make() error {
	const private, passable = 0o700, 0o711
	if p.account == nil {
		return os.MkdirAll(p.folder, private)
	}
	parent := filepath.Dir(p.folder)
	_, err := os.Stat(parent)
	parentIsNew := errors.Is(err, fs.ErrNotExist)
	if err := os.MkdirAll(p.folder, passable); err != nil {
		return err
	}
	if parentIsNew {
		if err := os.Chmod(parent, passable); err != nil {
			return err
		}
	}
	return os.Chmod(p.folder, passable)
}

// lockWait is how long a process waits for the lock: the holder may be pulling an image.
const lockWait = 20 * time.Second

// lock keeps other processes out until unlock is called or this process ends. It gives up
// after wait.
func (p place) lock(ctx context.Context, wait time.Duration) (unlock func(), err error) {
	if err := p.make(); err != nil {
		return nil, &Error{Err: err, Hint: "set CDOCS_HOME to a folder that this user may write to"}
	}
	lock := flock.New(filepath.Join(p.folder, "lock"))
	limited, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	const retry = 50 * time.Millisecond
	_, err = lock.TryLockContext(limited, retry)
	switch {
	case err == nil:
		return func() { _ = lock.Unlock() }, nil // closing the file, which it does, is enough
	case limited.Err() != nil && ctx.Err() == nil:
		return nil, &Error{
			Err: fmt.Errorf(
				"another process is starting or stopping PostgreSQL: it has held the lock %s for more than %s", lock.Path(), wait),
			Hint: "wait until it is done; or find it with: fuser -v " + lock.Path() + ", and end it (no data is lost); then try again",
		}
	}
	return nil, fmt.Errorf("lock %s: %w", lock.Path(), err)
}

func (p place) marker() string { return filepath.Join(p.folder, "stopped") }

// stoppedAfter reports whether the server was stopped after a time, and not started since.
func (p place) stoppedAfter(since time.Time) bool {
	info, err := os.Stat(p.marker())
	return err == nil && info.ModTime().After(since)
}

// cluster returns the cluster of a version. The caller sets its programs.
func (p place) cluster(major int) Cluster {
	return Cluster{Data: filepath.Join(p.folder, strconv.Itoa(major)), Socket: p.socket, Account: p.account}
}

// clusters returns the cluster of each version that has data here, running or not. All have one socket.
func (p place) clusters() []Cluster {
	var clusters []Cluster
	entries, _ := os.ReadDir(p.folder) // an error means an empty folder
	for _, entry := range entries {
		if major, err := strconv.Atoi(entry.Name()); err == nil {
			clusters = append(clusters, p.cluster(major))
		}
	}
	return clusters
}

// running returns the cluster whose server accepts connections. The cluster's programs are not set.
func (p place) running(ctx context.Context) (Cluster, bool) {
	for _, cluster := range p.clusters() {
		if cluster.Ready(ctx) == nil {
			return cluster, true
		}
	}
	return Cluster{}, false
}
