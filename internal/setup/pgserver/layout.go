package pgserver

import (
	"context"
	"crypto/sha256"
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

// layout says where the server of a user has its files. Its folder contains
//
//	15/        the data of PostgreSQL 15; it gets this name when it is complete
//	new/       incomplete data
//	run/       the socket
//	lock       a process locks this file while it makes, starts or stops the server
//	stopped    exists after a stop until the next start
//	log        the server's log
//	programs   the PostgreSQL with which the server was last started, see [layout.started]
//	bundle-…/  root's copy of the bundled PostgreSQL, if the server's account cannot enter the original
type layout struct {
	folder, socket string
	account        *Account
}

// If the server's account cannot enter root's home, the server's files are in rootFolder. If the usual folder cannot
// hold a socket, see [FitsSocket], the path of the socket begins with shortSocket. A hash of home follows both.
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
	id := ShortHash(home)
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

// ShortHash returns twelve characters of a path's hash, for the short name of a socket that belongs to the path.
func ShortHash(path string) string { return fmt.Sprintf("%.6x", sha256.Sum256([]byte(path))) }

// realPath returns an absolute path without symbolic links. Processes with other paths of the folder get the same path.
// The last folders of the path may not exist.
func realPath(path string) (string, error) {
	real, err := filepath.EvalSymlinks(path)
	if above := filepath.Dir(path); errors.Is(err, fs.ErrNotExist) && above != path {
		real, err = realPath(above)
		return filepath.Join(real, filepath.Base(path)), err
	}
	return real, err
}

// provide returns an installation that the server's account can run. If the account cannot enter the folder of the
// bundled PostgreSQL, provide makes a copy and returns the copy. The caller has the lock, and no server runs.
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
	// Every account may read the copy, whatever the umask.
	if text, err := exec.Command("chmod", "-R", "a+rX", fresh).CombinedOutput(); err != nil { //nolint:gosec,noctx // a path of ours
		return i, fmt.Errorf("copy PostgreSQL for its account: %w: %s", err, text)
	}
	return i, os.Rename(fresh, folder)
}

func (l layout) programs() string { return filepath.Join(l.folder, "programs") }

// started returns the installation with which the server was last started. It is the zero value if the server never
// started, or was started by an early release.
func (l layout) started() Installation {
	text, _ := os.ReadFile(l.programs()) // a missing file has no lines
	lines := append(strings.Split(string(text), "\n"), "", "")
	return Installation{PostgreSQL: lines[0], Pgvector: lines[1], Bin: lines[2]}
}

// keepStarted writes the file that [layout.started] reads.
func (l layout) keepStarted(i Installation) error {
	return os.WriteFile(l.programs(), []byte(i.PostgreSQL+"\n"+i.Pgvector+"\n"+i.Bin+"\n"), 0o600)
}

// make makes the folder. The server's account may enter it but not write to it, whatever the umask.
func (l layout) make() error {
	if l.account == nil {
		return os.MkdirAll(l.folder, 0o700)
	}
	const passable = 0o711
	for _, folder := range []string{filepath.Dir(l.folder), l.folder} {
		if folder != l.folder && exists(folder) {
			continue // the folder belongs to the user
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

// lockWait is how long a process waits for the lock. Its holder may be making the data.
const lockWait = 20 * time.Second

// lock keeps other processes out until unlock is called or this process ends. It fails if another process keeps the
// lock longer than wait.
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
	return func() { _ = lock.Unlock() }, nil // Unlock closes the file, which is enough
}

func (l layout) marker() string { return filepath.Join(l.folder, "stopped") }

// stoppedAfter reports whether somebody stopped the server after the time since, and nobody has started it again.
func (l layout) stoppedAfter(since time.Time) bool {
	info, err := os.Stat(l.marker())
	return err == nil && info.ModTime().After(since)
}

// cluster returns the cluster of a major version. The caller sets its Installation.
func (l layout) cluster(major int) Cluster {
	return Cluster{Data: filepath.Join(l.folder, strconv.Itoa(major)), Socket: l.socket, Account: l.account}
}

// clusters returns the cluster of each major version with data in the folder. All clusters share one socket.
func (l layout) clusters() []Cluster {
	var clusters []Cluster
	entries, _ := os.ReadDir(l.folder) // without such a folder there is no cluster
	for _, entry := range entries {
		major, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue
		}
		clusters = append(clusters, l.cluster(major))
	}
	return clusters
}

// running returns the cluster whose server accepts connections, or false. It does not set the cluster's Installation.
func (l layout) running(ctx context.Context) (Cluster, bool) {
	for _, cluster := range l.clusters() {
		if cluster.Ready(ctx) == nil {
			return cluster, true
		}
	}
	return Cluster{}, false
}
