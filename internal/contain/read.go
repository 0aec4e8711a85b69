package contain

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// File is a regular file that was read.
type File struct {
	Target        string // path of the file without symbolic links
	Content       []byte
	Before, After fs.FileInfo // the file's description before and after it was read
}

// Read reads a file of at most limit bytes. The error is [ErrNotRegular], a *[TooLargeError], an error
// of [Root.Resolve] or of the system.
func (r *Root) Read(name string, limit int64) (File, error) {
	target, info, err := r.Resolve(name)
	if err != nil {
		return File{}, err
	}
	if !info.Mode().IsRegular() {
		return File{}, ErrNotRegular
	}
	file, err := r.folder.OpenFile(filepath.FromSlash(target), os.O_RDONLY|syscall.O_NONBLOCK, 0) // by now maybe a named pipe
	if err != nil {
		return File{}, named(err, "open", name)
	}
	read, err := readOpen(file, limit)
	read.Target = target
	return read, err
}

// ReadFile reads a regular file of at most limit bytes, wherever symbolic links lead. It is for files that may lie
// outside a repository, such as the user's settings and git's own files. The error is [ErrNotRegular], a
// *[TooLargeError] or an error of the system. ReadFile never waits for a named pipe.
func ReadFile(path string, limit int64) ([]byte, error) {
	info, err := os.Stat(path) // first, so that a device is not even opened
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, ErrNotRegular
	}
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	read, err := readOpen(file, limit)
	return read.Content, err
}

// readOpen reads a file to its end, and closes it.
func readOpen(file *os.File, limit int64) (File, error) {
	defer file.Close() //nolint:errcheck // a file opened for reading has nothing to lose
	before, err := file.Stat()
	if err != nil {
		return File{}, err
	}
	if !before.Mode().IsRegular() {
		return File{}, ErrNotRegular
	}
	if before.Size() > limit {
		return File{}, &TooLargeError{Size: before.Size(), Limit: limit}
	}
	content := bytes.NewBuffer(make([]byte, 0, before.Size()+bytes.MinRead))
	if _, err := content.ReadFrom(io.LimitReader(file, limit+1)); err != nil {
		return File{}, fmt.Errorf("read: %w", err)
	}
	after, err := file.Stat()
	if err != nil {
		return File{}, err
	}
	if size := int64(content.Len()); size > limit { // the file has grown
		return File{}, &TooLargeError{Size: max(size, after.Size()), Limit: limit}
	}
	return File{Content: content.Bytes(), Before: before, After: after}, nil
}
