package watch

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"time"
)

// Replace gives a file of the folder new content in one step: whoever reads it
// sees the old or the new one whole. The file's mode stays.
func (f Folder) Replace(name string, content []byte) (err error) {
	root, err := os.OpenRoot(f.Dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	target := filepath.FromSlash(name)
	info, err := root.Lstat(target)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%s is not a regular file; edit what it points to", name)
	}
	// Hidden, so that no walk takes it for a document.
	temporary := filepath.FromSlash(path.Join(path.Dir(name), "."+path.Base(name)+"."+strconv.FormatInt(time.Now().UnixNano(), 36)))
	defer func() {
		if removeErr := root.Remove(temporary); removeErr != nil && !errors.Is(removeErr, fs.ErrNotExist) {
			err = errors.Join(err, removeErr)
		}
	}()
	if err := writeSynced(root, temporary, content, info.Mode().Perm()); err != nil {
		return err
	}
	return root.Rename(temporary, target)
}

// writeSynced creates a file that is on disk when it returns.
func writeSynced(root *os.Root, name string, content []byte, mode fs.FileMode) (err error) {
	file, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	// The process's umask may have taken from the mode.
	if err := file.Chmod(mode); err != nil {
		return err
	}
	if _, err := file.Write(content); err != nil {
		return err
	}
	return file.Sync()
}
