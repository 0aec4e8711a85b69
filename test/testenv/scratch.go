package testenv

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
)

// inCache calls f with a folder for files that can be made again, in the project's part of the
// user's cache folder. Only one process at a time is in f for a folder.
func inCache(ctx context.Context, name string, f func(folder string) error) error {
	const retry = 100 * time.Millisecond
	cache, err := os.UserCacheDir()
	if err != nil {
		return fmt.Errorf("find the user's cache folder: %w", err)
	}
	folder := filepath.Join(cache, "compound-docs", name)
	if err := os.MkdirAll(folder, 0o750); err != nil {
		return err
	}
	lock := flock.New(filepath.Join(folder, "lock")) // which the system releases when its holder ends
	if _, err := lock.TryLockContext(ctx, retry); err != nil {
		return fmt.Errorf("lock %s: %w", folder, err)
	}
	return errors.Join(f(folder), lock.Unlock())
}

// tryLockFile returns nil when another process holds the lock, or it is another
// user's.
func tryLockFile(path string) *flock.Flock {
	lock := flock.New(path)
	if held, err := lock.TryLock(); err != nil || !held {
		return nil
	}
	return lock
}

// scratch is a temporary folder of this process. Should the process end without
// removing it, by SIGKILL for example, a later one does.
type scratch struct {
	path  string
	owner *flock.Flock
}

const (
	// ownerLock is the file in the folder that its owner keeps locked.
	ownerLock = "owner.lock"

	// abandonedAge is how old a folder must be before it can count as abandoned:
	// the owner of a new one may not have locked it yet.
	abandonedAge = time.Minute
)

// newScratch creates a folder whose name starts with the prefix, and removes
// abandoned ones of the same prefix.
func newScratch(parent, prefix string, logf Logf) (*scratch, error) {
	removeAbandoned(filepath.Join(parent, prefix+"*"), logf)
	path, err := os.MkdirTemp(parent, prefix)
	if err != nil {
		return nil, fmt.Errorf("create a temporary folder: %w", err)
	}
	owner := tryLockFile(filepath.Join(path, ownerLock))
	if owner == nil {
		return nil, errors.Join(fmt.Errorf("lock the temporary folder %s: not possible", path), os.RemoveAll(path))
	}
	return &scratch{path: path, owner: owner}, nil
}

func (s *scratch) remove() error { return errors.Join(os.RemoveAll(s.path), s.owner.Unlock()) }

// MemoryFolder makes a folder in memory for the temporary files of any account's programs, and returns
// what removes it. The path is always the same: for another TMPDIR the go command runs tests again.
// It is "" if memory has no room for the files beside a database, or the folder is in use.
func MemoryFolder() (path string, remove func() error) {
	const passable, asTmp = 0o755, os.ModeSticky | 0o777
	nothing := func() error { return nil }
	if free, programs := memoryFolderFree(); free < 2*memoryNeeded || !programs {
		return "", nothing
	}
	path = filepath.Join(memoryFolder, fmt.Sprint("cdocs-tmp-", os.Getuid()))
	if os.MkdirAll(path, passable) != nil || os.Chmod(path, asTmp) != nil {
		return "", nothing
	}
	owner := tryLockFile(filepath.Join(path, ownerLock))
	if owner == nil {
		return "", nothing
	}
	return path, (&scratch{path: path, owner: owner}).remove
}

// removeAbandoned removes the folders that match a pattern and whose owners
// have ended.
func removeAbandoned(pattern string, logf Logf) {
	folders, err := filepath.Glob(pattern)
	if err != nil {
		logf("look for abandoned folders: %v", err)
	}
	for _, folder := range folders {
		info, err := os.Stat(folder)
		if err != nil || time.Since(info.ModTime()) < abandonedAge {
			continue
		}
		owner := tryLockFile(filepath.Join(folder, ownerLock))
		if owner == nil {
			continue
		}
		abandoned := scratch{path: folder, owner: owner}
		if err := abandoned.remove(); err != nil {
			logf("remove an abandoned folder: %v", err)
		}
	}
}
