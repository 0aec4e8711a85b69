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

// errLeaves reports a path that leads out of the repository.
var errLeaves = errors.New("leads out of the repository")

// errHidden reports a path that leads to a hidden file or folder: .git, .env, .aws and the like may
// hold secrets.
var errHidden = errors.New("leads to a hidden file or folder")

// isHidden reports whether a part of a relative path begins with a dot.
func isHidden(rel string) bool {
	return slices.ContainsFunc(strings.Split(filepath.ToSlash(rel), "/"), func(part string) bool {
		return strings.HasPrefix(part, ".") && part != "." && part != ".."
	})
}

// holdsGit reports whether a part of a path is .git, in upper or lower case: some file systems
// ignore case.
func holdsGit(path string) bool {
	return slices.ContainsFunc(strings.Split(filepath.ToSlash(path), "/"), func(part string) bool {
		return strings.EqualFold(part, ".git")
	})
}

// resolveInside resolves the symlinks of a path relative to root, and returns the result relative
// to root. The error is errLeaves, errHidden or the system's. Only ConfigDir may be hidden.
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

// readInside is readFile for a path relative to the repository at root, with the errors of
// resolveInside. It never reads outside of root, even if the path is replaced meanwhile.
func readInside(root, rel string, limit int64) ([]byte, error) {
	target, err := resolveInside(root, rel)
	if err != nil {
		return nil, err
	}
	// The dot makes the system look root up as a folder, so that a named pipe is not opened.
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
