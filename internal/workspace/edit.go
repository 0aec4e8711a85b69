package workspace

import (
	"bytes"
	"errors"
	"fmt"
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

// replace puts the content in the place of the file at name. The error is
// [document.ErrChanged] if that is no longer the file that was read.
func replace(folder watch.Folder, name string, before document.File, content []byte) (after document.File, err error) {
	root, err := folder.Open()
	if err != nil {
		return document.File{}, err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	written, err := root.Replace(name, content, func() error {
		current, err := folder.Read(name)
		if err == nil && !bytes.Equal(current.Content, before.Content) {
			err = document.ErrChanged
		}
		return err
	})
	if err != nil {
		return document.File{}, err
	}
	stamp := watch.StampOf(written)
	return document.File{
		Path: before.Path, Content: content, Size: stamp.Size, ModTime: stamp.ModTime, Inode: stamp.Inode,
		ChangeTime: time.Time{}, // it was changed once more when the file got its name
	}, nil
}
