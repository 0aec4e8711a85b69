package workspace

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/compound-docs/compound-docs/internal/document"
	"github.com/compound-docs/compound-docs/watch"
)

// editTries is how often an edit is tried while others change the file.
const editTries = 5

// edit replaces the content of a file in the folder by what change makes of it. It
// does so in one step: a reader sees the old or the new content whole, and a crash
// leaves one of the two. The file keeps its mode. If somebody else changes the file
// meanwhile, the edit is repeated, so that no change is lost. edit does not write
// content that stays the same. It returns the error of change as it is, and leaves the
// file alone then.
func edit(folder watch.Folder, name string, change func(before document.File) (content []byte, err error)) error {
	for range editTries {
		before, err := folder.Read(name)
		if errors.Is(err, document.ErrChanged) {
			continue
		}
		if err != nil {
			return err
		}
		content, err := change(before)
		if err != nil || bytes.Equal(content, before.Content) {
			return err
		}
		if err = replace(folder, name, before, content); !errors.Is(err, document.ErrChanged) {
			return err
		}
	}
	return fmt.Errorf("%s is being changed by others: %w; call again when they are done", name, document.ErrChanged)
}

// replace puts the content in the place of the file at name. The error is
// [document.ErrChanged] if that is no longer the file that was read.
func replace(folder watch.Folder, name string, before document.File, content []byte) (err error) {
	root, err := folder.Open()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	return root.Replace(name, content, func() error {
		current, err := folder.Read(name)
		if err == nil && !bytes.Equal(current.Content, before.Content) {
			err = document.ErrChanged
		}
		return err
	})
}
