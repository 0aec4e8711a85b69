package watch

import (
	"fmt"
	"path"
	"time"

	"github.com/compound-docs/compound-docs/internal/contain"
	"github.com/compound-docs/compound-docs/internal/document"
)

// read returns a file's bytes, and the entry with the state that the file had when
// they were read. A file that changes meanwhile is errChanged: its next event or
// walk reads it again. Other errors are those of inspect.
func (f Folder) read(root *contain.Root, e entry) (content []byte, current entry, err error) {
	file, err := root.Read(e.name, contain.MaxDocument)
	if err != nil {
		return nil, e, explain(root, e.name, err)
	}
	if err := f.covered(e.name, file.Target); err != nil {
		return nil, e, err
	}
	e.stamp = StampOf(file.After)
	if int64(len(file.Content)) != e.stamp.Size || StampOf(file.Before) != e.stamp {
		return nil, e, errChanged
	}
	e.stamp.ChangeTime = provenTime(e.stamp.ChangeTime, time.Now())
	return file.Content, e, nil
}

// errChanged is a file that is being written.
var errChanged = fmt.Errorf("%w: it was being written when it was read", document.ErrChanged)

// Read returns one file of the folder, by its path in it. The error is
// [fs.ErrNotExist] when there is none.
func (f Folder) Read(name string) (file document.File, err error) {
	root, err := f.Open()
	if err != nil {
		return document.File{}, err
	}
	defer func() {
		if closeErr := root.Close(); err == nil {
			err = closeErr
		}
	}()
	content, e, err := f.read(root, entry{path: path.Join(f.Prefix, name), name: name})
	if err != nil {
		return document.File{}, err
	}
	return e.file(content), nil
}

func (e entry) file(content []byte) document.File {
	return document.File{
		Path: e.path, Content: content,
		Size: e.stamp.Size, ModTime: e.stamp.ModTime, ChangeTime: e.stamp.ChangeTime, Inode: e.stamp.Inode,
	}
}
