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
	"slices"
	"strconv"
	"time"

	"github.com/gofrs/flock"
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

// Of a root whose home the server's account cannot enter, and of one whose socket's path
// would be too long. Their names end in a hash of the home.
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

// realPath returns a path without symbolic links, by which processes agree on a folder
// that they are told of in different ways. The end of it need not exist.
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

// make makes the folder. The server's account may go through it, and not write to it,
// whatever the umask is.
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

// lock keeps other processes out until unlock. The system unlocks when a process ends.
func (p place) lock(ctx context.Context) (unlock func(), err error) {
	if err := p.make(); err != nil {
		return nil, err
	}
	const retry = 50 * time.Millisecond
	lock := flock.New(filepath.Join(p.folder, "lock"))
	if _, err := lock.TryLockContext(ctx, retry); err != nil {
		return nil, fmt.Errorf("wait for another process that starts or stops PostgreSQL (lock %s): %w", lock.Path(), err)
	}
	return func() { _ = lock.Unlock() }, nil // closing the file, which it does, is enough
}

func (p place) marker() string { return filepath.Join(p.folder, "stopped") }

// stoppedAfter reports whether the server was stopped after a time, and not started since.
func (p place) stoppedAfter(since time.Time) bool {
	info, err := os.Stat(p.marker())
	return err == nil && info.ModTime().After(since)
}

func (p place) markStopped() error { return os.WriteFile(p.marker(), nil, 0o600) }

func (p place) clearStopped() error {
	if err := os.Remove(p.marker()); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// majors returns the versions of PostgreSQL of which there is data, in order.
func (p place) majors() []int {
	var majors []int
	files, _ := filepath.Glob(filepath.Join(p.folder, "*", "PG_VERSION")) // the pattern is ours, but for the folder
	for _, file := range files {
		if major := majorOf(filepath.Base(filepath.Dir(file))); major > 0 {
			majors = append(majors, major)
		}
	}
	slices.Sort(majors)
	return majors
}

// cluster is the one of a version, whose programs the caller adds.
func (p place) cluster(major int) Cluster {
	return Cluster{Data: filepath.Join(p.folder, strconv.Itoa(major)), Socket: p.socket, Account: p.account}
}

// clusters returns that of each version.
func (p place) clusters() []Cluster {
	var clusters []Cluster
	for _, major := range p.majors() {
		clusters = append(clusters, p.cluster(major))
	}
	return clusters
}

// running returns the cluster if its server accepts connections. Its programs are not
// known.
func (p place) running(ctx context.Context) (Cluster, bool) {
	clusters := p.clusters()
	if len(clusters) == 0 {
		return Cluster{}, false
	}
	newest := clusters[len(clusters)-1]
	return newest, newest.Ready(ctx) == nil
}
