package document

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// Exists reports whether a path of the repository is a file or a folder. A path that
// cannot be looked at counts as one.
func Exists(root *os.Root, path string) bool {
	_, err := root.Lstat(filepath.FromSlash(path))
	// ENOTDIR: the path goes through a file as if that were a folder.
	return err == nil || !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR)
}
