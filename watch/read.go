package watch

import (
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"syscall"
	"time"

	"github.com/compound-docs/compound-docs/internal/document"
)

// read returns a file's bytes, and the entry with the state that the file had when
// they were read. A file that changes meanwhile is errChanged: its next event or
// walk reads it again. Other errors are those of inspect.
func read(root *os.Root, e entry) (content []byte, current entry, err error) {
	target, err := visible(root, e.name)
	if err != nil {
		return nil, e, err
	}
	// A pipe must not be waited for.
	file, err := root.OpenFile(filepath.FromSlash(target), os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, e, explain(root, e.name, err)
	}
	defer func() {
		if closeErr := file.Close(); err == nil {
			err = closeErr
		}
	}()
	before, err := file.Stat()
	if err != nil {
		return nil, e, err
	}
	if err := fit(before); err != nil {
		return nil, e, err
	}
	content, err = io.ReadAll(io.LimitReader(file, maxFileSize+1))
	if err != nil {
		return nil, e, err
	}
	after, err := file.Stat()
	if err != nil {
		return nil, e, err
	}
	e.stat = statOf(after)
	if int64(len(content)) != e.stat.size || statOf(before) != e.stat {
		return nil, e, errChanged
	}
	e.stat.changeTime = provenTime(e.stat.changeTime, time.Now())
	return content, e, nil
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
	if f.Match != nil {
		if err := f.covered(root, name); err != nil {
			return document.File{}, err
		}
	}
	content, e, err := read(root, entry{path: path.Join(f.Prefix, name), name: name})
	if err != nil {
		return document.File{}, err
	}
	return e.file(content), nil
}

func (e entry) file(content []byte) document.File {
	return document.File{
		Path: e.path, Content: content,
		Size: e.stat.size, ModTime: e.stat.modTime, ChangeTime: e.stat.changeTime, Inode: e.stat.inode,
	}
}
