package pgserver

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/gofrs/flock"

	"github.com/compound-docs/compound-docs/internal/process"
)

// place is where the files of a user's server are. Its folder has
//
//	15/        the data of PostgreSQL 15, whole as soon as it has that name
//	new-…/     data that is being made, or whose making was interrupted
//	run/       the socket
//	lock       held by the process that makes, starts, moves or stops the server
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

// realPath returns a path without symbolic links, so that processes that are given different
// paths of one folder agree on it. The end of the path need not exist.
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

// A wait for the lock is logged after lockNotice, and given up after lockWait.
const (
	lockNotice = 2 * time.Second
	lockWait   = 20 * time.Second
)

// lock keeps other processes out until unlock is called or this process ends. It gives up
// after wait: the holder may be pulling an image.
func (p place) lock(ctx context.Context, wait time.Duration, logger *slog.Logger) (unlock func(), err error) {
	if err := p.make(); err != nil {
		return nil, err
	}
	const retry = 50 * time.Millisecond
	lock := flock.New(filepath.Join(p.folder, "lock"))
	notice := time.AfterFunc(lockNotice, func() {
		logger.InfoContext(ctx, "waiting for another process to start or stop PostgreSQL", "process", lockHolder(lock.Path()))
	})
	defer notice.Stop()
	limited, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	_, err = lock.TryLockContext(limited, retry)
	switch {
	case err == nil:
		// For the message below. Where a locked file cannot be written, that names no process.
		_ = os.WriteFile(lock.Path(), []byte(process.ID()), 0o600)
		return func() { _ = lock.Unlock() }, nil // closing the file, which it does, is enough
	case limited.Err() != nil && ctx.Err() == nil:
		return nil, lockedError(lock.Path(), wait)
	}
	return nil, fmt.Errorf("lock %s: %w", lock.Path(), err)
}

func lockedError(path string, waited time.Duration) *Error {
	who, remedy := "another process", "find it with: fuser -v "+path+"; wait until it has ended, or end it"
	if holder := lockHolder(path); holder != "" {
		who = holder
		remedy = "wait until it is done, or end it there with kill -9 (no data is lost)"
	}
	return &Error{
		Err:  fmt.Errorf("%s is starting or stopping PostgreSQL: the lock %s has been held for more than %s", who, path, waited),
		Hint: remedy + "; then try again",
	}
}

// lockHolder describes the process that a lock file names, and returns "" if there is none.
func lockHolder(path string) string {
	text, _ := os.ReadFile(path) // without it the process is not known
	if process.Gone(string(text)) {
		return ""
	}
	return process.Describe(string(text))
}

func (p place) marker() string { return filepath.Join(p.folder, "stopped") }

// stoppedAfter reports whether the server was stopped after a time, and not started since.
func (p place) stoppedAfter(since time.Time) bool {
	info, err := os.Stat(p.marker())
	return err == nil && info.ModTime().After(since)
}

// majors returns the versions of PostgreSQL that have data here, in ascending order.
func (p place) majors() []int {
	var majors []int
	files, _ := fs.Glob(os.DirFS(p.folder), "*/PG_VERSION") // a pattern that is valid
	for _, file := range files {
		if major, err := strconv.Atoi(path.Dir(file)); err == nil {
			majors = append(majors, major)
		}
	}
	slices.Sort(majors)
	return majors
}

// cluster returns the cluster of a version. The caller sets its programs.
func (p place) cluster(major int) Cluster {
	return Cluster{Data: filepath.Join(p.folder, strconv.Itoa(major)), Socket: p.socket, Account: p.account}
}

// clusters returns the cluster of each version.
func (p place) clusters() []Cluster {
	var clusters []Cluster
	for _, major := range p.majors() {
		clusters = append(clusters, p.cluster(major))
	}
	return clusters
}

// running returns the newest cluster, and whether its server accepts connections. The
// cluster's programs are not set.
func (p place) running(ctx context.Context) (Cluster, bool) {
	clusters := p.clusters()
	if len(clusters) == 0 {
		return Cluster{}, false
	}
	newest := clusters[len(clusters)-1]
	return newest, newest.Ready(ctx) == nil
}
