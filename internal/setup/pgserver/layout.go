package pgserver

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/gofrs/flock"
)

// layout says where a user's server has its files. The folder has
//
//	15/        the data of PostgreSQL 15; complete as soon as it has that name
//	new/       data that is being made, or whose making was interrupted
//	run/       the socket
//	lock       held by the process that makes, starts or stops the server
//	stopped    there after a stop, until the next start
//	log        of the server
//	programs   which PostgreSQL the server was last started with, see [started]
//	bundle-…/  root's copy of the PostgreSQL that comes with the program, if its account cannot enter that
type layout struct {
	folder, socket string
	account        *Account
}

// rootFolder is for root if the server's account cannot enter root's home. shortSocket is for a
// folder that cannot hold a socket, see [FitsSocket]. A hash of the home follows both.
const (
	rootFolder  = "/var/lib/compound-docs"
	shortSocket = "/tmp/compound-docs-"
)

func layoutOf(home string) (layout, error) {
	home, err := filepath.Abs(home)
	if err != nil {
		return layout{}, fmt.Errorf("find the user's folder: %w", err)
	}
	home, err = realPath(home)
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
	l.account, err = ServerAccount(data...)
	l.socket = filepath.Join(l.folder, "run")
	if !FitsSocket(l.socket) {
		l.socket = shortSocket + id
	}
	return l, err
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

// provide returns the installation as the server's account can run it. If the account cannot enter the
// folder of the bundled one, that is a copy, which provide makes. The caller has the lock, and no server runs.
func (l layout) provide(i Installation) (Installation, error) {
	if l.account == nil || i.bundle == "" || reaches(i.Bin) {
		return i, nil
	}
	folder := filepath.Join(l.folder, "bundle-"+i.PostgreSQL+"-"+i.Pgvector)
	i.Bin = filepath.Join(folder, bundleBin)
	if exists(folder) {
		return i, nil
	}
	former, err := fs.Glob(os.DirFS(l.folder), "bundle-*")
	if err != nil {
		return i, err
	}
	for _, name := range former {
		if err := os.RemoveAll(filepath.Join(l.folder, name)); err != nil {
			return i, err
		}
	}
	fresh := folder + ".new"
	if err := os.CopyFS(fresh, os.DirFS(i.bundle)); err != nil {
		return i, fmt.Errorf("copy PostgreSQL for its account: %w", err)
	}
	// With any umask, every account may read it.
	if text, err := exec.Command("chmod", "-R", "a+rX", fresh).CombinedOutput(); err != nil { //nolint:gosec,noctx // a path of ours
		return i, fmt.Errorf("copy PostgreSQL for its account: %w: %s", err, text)
	}
	return i, os.Rename(fresh, folder)
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
	if l.account == nil {
		return os.MkdirAll(l.folder, 0o700)
	}
	const passable = 0o711
	for _, folder := range []string{filepath.Dir(l.folder), l.folder} {
		if folder != l.folder && exists(folder) {
			continue // the user's
		}
		if err := os.MkdirAll(folder, passable); err != nil {
			return err
		}
		if err := os.Chmod(folder, passable); err != nil {
			return err
		}
	}
	return nil
}

const setHome = "set CDOCS_HOME to a folder that this user may write to"

// lockWait is how long a process waits for the lock: the holder may be making the data.
const lockWait = 20 * time.Second

// lock excludes other processes until unlock is called or this process ends. It fails after wait.
func (l layout) lock(ctx context.Context, wait time.Duration) (unlock func(), err error) {
	if err := l.make(); err != nil {
		return nil, &Error{Err: err, Hint: setHome}
	}
	lock := flock.New(filepath.Join(l.folder, "lock"))
	limited, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	const retry = 50 * time.Millisecond
	_, err = lock.TryLockContext(limited, retry)
	if err != nil && limited.Err() != nil && ctx.Err() == nil {
		return nil, &Error{
			Err: fmt.Errorf(
				"another process is starting or stopping PostgreSQL: it has held the lock %s for more than %s", lock.Path(), wait),
			Hint: "wait until it is done; or find it with: fuser -v " + lock.Path() + ", and end it (no data is lost); then try again",
		}
	}
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w", lock.Path(), err)
	}
	return func() { _ = lock.Unlock() }, nil // it closes the file, which is enough
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
		major, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue
		}
		clusters = append(clusters, l.cluster(major))
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
