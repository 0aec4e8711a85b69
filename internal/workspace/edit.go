package workspace

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
	"github.com/compound-docs/compound-docs/watch"
)

// editTries is how often an edit is tried while others change the file.
const editTries = 5

// edit replaces the content of a file in the folder by what change makes of it. It
// does so in one step: a reader sees the old or the new content whole, and a crash
// leaves one of the two. The file keeps its mode. If somebody else changes the file
// meanwhile, the edit is repeated, so that no change is lost. edit returns the file
// before and after. It does not write content that stays the same. It returns the
// error of change as it is, and leaves the file alone then.
func edit(
	folder watch.Folder, name string, change func(before document.File) (content []byte, err error),
) (before, after document.File, err error) {
	for range editTries {
		if before, err = folder.Read(name); err != nil {
			if errors.Is(err, document.ErrChanged) {
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
		after, err = replace(folder, name, before, content)
		if !errors.Is(err, document.ErrChanged) {
			return before, after, err
		}
	}
	return document.File{}, document.File{}, fmt.Errorf(
		"%s is being changed by others: %w; call again when they are done", name, document.ErrChanged)
}

// replace renames a new file over the one at name. The error is
// [document.ErrChanged] if that is no longer the file that was read.
func replace(folder watch.Folder, name string, before document.File, content []byte) (after document.File, err error) {
	root, err := folder.Open()
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
		return document.File{}, symlinkError(root, name)
	}
	// It is hidden, so that no walk takes it for a document.
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
	current, err := folder.Read(name)
	if err != nil {
		return document.File{}, err
	}
	if !bytes.Equal(current.Content, before.Content) {
		return document.File{}, document.ErrChanged
	}
	stamp := watch.StampOf(written)
	after = document.File{
		Path: before.Path, Content: content, Size: stamp.Size, ModTime: stamp.ModTime, Inode: stamp.Inode,
		ChangeTime: time.Time{}, // the rename changes it once more
	}
	return after, root.Rename(temporary, target)
}

// symlinkError names the file that can be edited instead of a symbolic link. To
// rename a file over the link would replace the link.
func symlinkError(root *os.Root, name string) error {
	target, err := root.Readlink(filepath.FromSlash(name))
	if err != nil {
		return err
	}
	return fmt.Errorf("%s is a symbolic link; edit the file that it points to, %s", name, filepath.ToSlash(target))
}

// writeSynced creates a file, and returns when it is on disk.
func writeSynced(root *os.Root, name string, content []byte, mode fs.FileMode) (written fs.FileInfo, err error) {
	file, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	// The process's umask may have reduced the mode.
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
