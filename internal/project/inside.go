package project

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// errLeaves is for a path that leads out of the repository.
var errLeaves = errors.New("leads out of the repository")

// errHidden is for a path that leads to what is hidden: .git, .env, .aws and all their kind hold
// what nobody has meant to show.
var errHidden = errors.New("leads to a hidden file or folder")

// isHidden reports whether a part of a path that is relative to some folder begins with a dot.
func isHidden(rel string) bool {
	return slices.ContainsFunc(strings.Split(filepath.ToSlash(rel), "/"), func(part string) bool {
		return strings.HasPrefix(part, ".") && part != "." && part != ".."
	})
}

// holdsGit reports whether a part of a path is .git, as a file system may spell it that takes upper
// and lower case for the same.
func holdsGit(path string) bool {
	return slices.ContainsFunc(strings.Split(filepath.ToSlash(path), "/"), func(part string) bool {
		return strings.EqualFold(part, ".git")
	})
}

// resolveInside returns a path relative to root as it is without symlinks, relative to root too. The
// error is errLeaves, errHidden, or the system's. ConfigDir alone may be hidden.
func resolveInside(root, rel string) (string, error) {
	full := filepath.Join(root, rel)
	if filepath.IsAbs(rel) || !isInside(root, full) {
		return "", errLeaves
	}
	resolved, err := filepath.EvalSymlinks(full)
	if err != nil {
		return "", fmt.Errorf("resolve %s: %w", rel, err)
	}
	target, err := filepath.Rel(root, resolved)
	switch {
	case err != nil || !filepath.IsLocal(target):
		return "", errLeaves
	case isHidden(strings.TrimPrefix(target, ConfigDir+string(filepath.Separator))) && target != ConfigDir:
		return "", errHidden
	}
	return target, nil
}

// readInside reads a file of the repository at root, by its path relative to it. It is what readFile
// is, with the errors of resolveInside too; whatever happens to the path meanwhile, nothing outside
// of root is read.
func readInside(root, rel string, limit int64) ([]byte, error) {
	target, err := resolveInside(root, rel)
	if err != nil {
		return nil, err
	}
	// What stands before the dot is looked up as a folder, so that a named pipe is not opened.
	folder, err := os.OpenRoot(root + string(filepath.Separator) + ".")
	if err != nil {
		return nil, fmt.Errorf("open: %w", err)
	}
	defer folder.Close() //nolint:errcheck // opened for reading only
	file, err := folder.OpenFile(target, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, fmt.Errorf("open: %w", err)
	}
	return readOpen(file, limit)
}
