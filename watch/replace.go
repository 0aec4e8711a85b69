package watch

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"time"

	"github.com/compound-docs/compound-docs/internal/document"
)

// editTries is how often an edit is begun anew because the file was changed by
// somebody else meanwhile.
const editTries = 5

// Edit gives a file of the folder the content that change makes of it, in one
// step: whoever reads the file sees the old or the new one whole, and a crash
// leaves one of the two. The file's mode stays. A file that somebody else changes
// meanwhile is edited anew, so that nobody's work is lost. It returns the file
// before and after; content that stays the same is not written. The error of
// change is returned as it is, and the file is left alone.
func (f Folder) Edit(name string, change func(before document.File) (content []byte, err error)) (before, after document.File, err error) {
	for range editTries {
		if before, err = f.Read(name); err != nil {
			if errors.Is(err, errChanged) {
				continue
			}
			return document.File{}, document.File{}, err
		}
		content, err := change(before)
		if err != nil {
			return document.File{}, document.File{}, err
		}
		if bytes.Equal(content, before.Content) {
			return before, before, nil
		}
		after, err = f.replace(name, before, content)
		if !errors.Is(err, errChanged) {
			return before, after, err
		}
	}
	return document.File{}, document.File{}, fmt.Errorf("%s is being changed by others: %w; call again when they are done", name, errChanged)
}

// replace renames a new file over the one at name. The error is errChanged if
// that is no longer the one that was read.
func (f Folder) replace(name string, before document.File, content []byte) (after document.File, err error) {
	root, err := f.open()
	if err != nil {
		return document.File{}, err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	target := filepath.FromSlash(name)
	info, err := root.Lstat(target)
	if err != nil {
		return document.File{}, err
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		return document.File{}, f.symlinkError(root, name)
	}
	// Hidden, so that no walk takes it for a document.
	temporary := filepath.FromSlash(path.Join(path.Dir(name), ".compound-docs-"+rand.Text()))
	defer func() {
		if removeErr := root.Remove(temporary); removeErr != nil && !errors.Is(removeErr, fs.ErrNotExist) {
			err = errors.Join(err, removeErr)
		}
	}()
	written, err := writeSynced(root, temporary, content, info.Mode().Perm())
	if err != nil {
		return document.File{}, err
	}
	current, e, err := read(root, entry{path: before.Path, name: name})
	if err != nil {
		return document.File{}, err
	}
	if !bytes.Equal(current, before.Content) {
		return document.File{}, errChanged
	}
	// Renaming it moves its change time once more.
	e.stamp = StampOf(written)
	e.stamp.ChangeTime = time.Time{}
	return e.file(content), root.Rename(temporary, target)
}

// symlinkError says where the file is that can be edited: to rename over a link
// would turn it into a file of its own.
func (f Folder) symlinkError(root *os.Root, name string) error {
	target, err := root.Readlink(filepath.FromSlash(name))
	if err != nil {
		return err
	}
	return fmt.Errorf("%s is a symbolic link; edit the file that it points to, %s", name, filepath.ToSlash(target))
}

// writeSynced creates a file that is on disk when it returns.
func writeSynced(root *os.Root, name string, content []byte, mode fs.FileMode) (written fs.FileInfo, err error) {
	file, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	// The process's umask may have taken from the mode.
	if err := file.Chmod(mode); err != nil {
		return nil, err
	}
	if _, err := file.Write(content); err != nil {
		return nil, err
	}
	if err := file.Sync(); err != nil {
		return nil, err
	}
	return file.Stat()
}
