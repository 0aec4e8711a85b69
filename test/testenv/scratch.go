package testenv

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// scratch is a temporary folder of this process. Should the process end without
// removing it, by SIGKILL for example, a later one does.
type scratch struct {
	path  string
	owner *fileLock
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
func newScratch(ctx context.Context, parent, prefix string, logf Logf) (*scratch, error) {
	removeAbandoned(filepath.Join(parent, prefix+"*"), logf)
	path, err := os.MkdirTemp(parent, prefix)
	if err != nil {
		return nil, fmt.Errorf("create a temporary folder: %w", err)
	}
	owner, err := lockFile(ctx, filepath.Join(path, ownerLock))
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(path))
	}
	return &scratch{path: path, owner: owner}, nil
}

func (s *scratch) remove() error {
	return errors.Join(os.RemoveAll(s.path), s.owner.unlock())
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
		owner, err := tryLockFile(filepath.Join(folder, ownerLock))
		if err != nil {
			continue // in use, or another user's
		}
		abandoned := scratch{path: folder, owner: owner}
		if err := abandoned.remove(); err != nil {
			logf("remove an abandoned folder: %v", err)
		}
	}
}
