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
	"strings"
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
//	programs   which PostgreSQL the server was last started with, see [started]
//	bundle-…/  root's copy of the PostgreSQL that comes with the program, if its account cannot enter that
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
	if os.Geteuid() == 0 && !reaches(home) {
		l.folder = filepath.Join(rootFolder, id)
	}
	var data []string
	for _, cluster := range l.clusters() {
		data = append(data, cluster.Data)
	}
	l.account, l.accountErr = ServerAccount(data...)
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

// reachable returns the installation as the server's account runs it: where that cannot enter the
// folder of the bundled one, it is a copy, which [layout.provide] makes.
func (l layout) reachable(installed Installation) Installation {
	if l.account != nil && installed.bundle != "" && !reaches(installed.Bin) {
		installed.Bin = filepath.Join(l.copyOf(installed), bundleBin)
	}
	return installed
}

func (l layout) copyOf(installed Installation) string {
	return filepath.Join(l.folder, "bundle-"+installed.PostgreSQL+"-"+installed.Pgvector)
}

// provide makes the copy that [layout.reachable] names, if it is missing. The caller has the lock.
func (l layout) provide(installed Installation) error {
	folder := l.copyOf(installed)
	if !strings.HasPrefix(installed.Bin, folder) {
		return nil
	}
	if _, err := os.Stat(folder); err == nil {
		return nil
	}
	former, err := fs.Glob(os.DirFS(l.folder), "bundle-*")
	if err != nil {
		return err
	}
	for _, name := range former { // no server runs
		if err := os.RemoveAll(filepath.Join(l.folder, name)); err != nil {
			return err
		}
	}
	fresh := folder + ".new"
	if err := os.CopyFS(fresh, os.DirFS(installed.bundle)); err != nil {
		return fmt.Errorf("copy PostgreSQL for its account: %w", err)
	}
	if err := open(fresh); err != nil {
		return err
	}
	return os.Rename(fresh, folder)
}

// open lets every account read a folder, with any umask.
func open(folder string) error {
	return filepath.WalkDir(folder, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := os.Stat(path)
		if err != nil {
			return err
		}
		const read, enter = 0o444, 0o111
		mode := info.Mode().Perm() | read
		if mode&0o100 != 0 {
			mode |= enter
		}
		return os.Chmod(path, mode) //nolint:gosec // nobody else writes to the folder
	})
}

func (l layout) programs() string { return filepath.Join(l.folder, "programs") }

// started returns the installation that the server was last started with, or the zero value. Earlier
// releases did not write the file.
func (l layout) started() Installation {
	text, _ := os.ReadFile(l.programs()) // no file has no lines
	lines := append(strings.Split(string(text), "\n"), "", "")
	return Installation{PostgreSQL: lines[0], Pgvector: lines[1], Bin: lines[2]}
}

// keepStarted writes what [layout.started] reads.
func (l layout) keepStarted(i Installation) error {
	return os.WriteFile(l.programs(), []byte(i.PostgreSQL+"\n"+i.Pgvector+"\n"+i.Bin+"\n"), 0o600)
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
