package project

import (
	"errors"
	"path/filepath"
	"strings"

	"github.com/compound-docs/compound-docs/internal/contain"
)

// holdsGit reports whether a part of a path is .git, in upper or lower case: some file systems
// ignore case.
func holdsGit(path string) bool {
	for part := range strings.SplitSeq(filepath.ToSlash(path), "/") {
		if strings.EqualFold(part, ".git") {
			return true
		}
	}
	return false
}

// isInside reports whether the path is root or below it. Both are absolute, with symlinks resolved.
func isInside(root, path string) bool {
	rel, err := filepath.Rel(root, path)
	return err == nil && filepath.IsLocal(rel)
}

// resolveInside resolves the symlinks of a path relative to root, and returns the result relative
// to root. The errors are those of [contain.Root.Resolve].
func resolveInside(root, rel string) (target string, err error) {
	folder, err := contain.Open(root)
	if err != nil {
		return "", err
	}
	target, err = folder.Resolve(filepath.ToSlash(rel))
	return filepath.FromSlash(target), errors.Join(err, folder.Close())
}

// readInside reads a configuration or a schema by its path relative to the repository at root. Of
// what is hidden there, only ConfigDir is read. The errors are those of [contain.Root.Read].
func readInside(root, rel string) ([]byte, error) {
	folder, err := contain.Open(root)
	if err != nil {
		return nil, err
	}
	file, err := folder.Showing(ConfigDir).Read(filepath.ToSlash(rel), contain.MaxConfig)
	return file.Content, errors.Join(err, folder.Close())
}
