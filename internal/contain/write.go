package contain

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"
)

// parent opens the folder of a path, and returns the path's last name, which may not exist. The caller
// closes the location.
func (r *Root) parent(name string) (*location, string, error) {
	base := path.Base(name)
	if !filepath.IsLocal(base) || base == "." {
		return nil, "", &fs.PathError{Op: "open", Path: name, Err: ErrEscapes}
	}
	l, err := r.locate(path.Dir(name))
	if err != nil {
		return nil, "", err
	}
	if r.hides(append(l.names, base)) {
		l.close()
		return nil, "", named(ErrHidden, "open", name)
	}
	return l, spelled(l.folder, base), nil
}

// Replace replaces the content of a regular file in one step, and keeps its mode and owner. A reader sees the
// whole old or the whole new content, and a crash leaves one of them. The error is [ErrChanged] if the file no
// longer has the content before. It does not replace a symbolic link. It also removes what killed calls left in
// the folder.
func (r *Root) Replace(name string, before, content []byte) error {
	l, base, err := r.parent(name)
	if err != nil {
		return err
	}
	defer l.close()
	info, err := l.folder.Lstat(base)
	switch {
	case err != nil:
		return named(err, "open", name)
	case info.Mode()&fs.ModeSymlink != 0:
		target, _, _ := r.Resolve(name) // a rename would replace the link
		return fmt.Errorf("%s is a symbolic link; edit the file that it points to, %s", name, target)
	case !info.Mode().IsRegular():
		return ErrNotRegular
	}
	removeTemporary(l.folder)
	temporary := temporaryPrefix + rand.Text()
	defer l.folder.Remove(temporary) //nolint:errcheck // after a rename it is not there
	if err := writeNew(l.folder, temporary, content, info.Mode().Perm()); err != nil {
		return err
	}
	if err := keepOwner(l.folder, temporary, info); err != nil {
		return err
	}
	// The process's umask may have reduced the mode.
	if err := l.folder.Chmod(temporary, info.Mode().Perm()); err != nil {
		return err
	}
	current, err := r.Read(name, int64(len(before)))
	_, grown := errors.AsType[*TooLargeError](err)
	switch {
	case grown, err == nil && !bytes.Equal(current.Content, before):
		return fmt.Errorf("%s %w", name, ErrChanged)
	case err != nil:
		return err
	}
	return l.folder.Rename(temporary, base)
}

// temporaryPrefix begins the names of files that Replace writes. It hides them from walks.
const temporaryPrefix = ".compound-docs-"

// temporaryAge is the age at which nobody writes a temporary file any more.
const temporaryAge = time.Minute

// removeTemporary removes the files that killed processes left in a folder during a [Root.Replace], as far as it can.
func removeTemporary(folder *os.Root) {
	entries, _ := fs.ReadDir(folder.FS(), ".")
	for _, entry := range entries {
		info, err := entry.Info()
		if err == nil && strings.HasPrefix(entry.Name(), temporaryPrefix) && info.Mode().IsRegular() &&
			time.Since(info.ModTime()) > temporaryAge {
			_ = folder.Remove(entry.Name()) // the next call tries again
		}
	}
}

// Create writes a new file. The error is [fs.ErrExist] if there is something at its path.
func (r *Root) Create(name string, content []byte, mode fs.FileMode) error {
	l, base, err := r.parent(name)
	if err != nil {
		return err
	}
	defer l.close()
	if err := writeNew(l.folder, base, content, mode); err != nil {
		return named(err, "create", name)
	}
	return nil
}

// writeNew makes a file in a folder, and returns when it is on disk.
func writeNew(folder *os.Root, base string, content []byte, mode fs.FileMode) error {
	file, err := folder.OpenFile(base, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = file.Write(content)
	return errors.Join(err, file.Sync(), file.Close())
}

// MkdirAll makes a folder and the missing folders above it.
func (r *Root) MkdirAll(name string, mode fs.FileMode) error {
	above := ""
	for part := range strings.SplitSeq(name, "/") {
		above = path.Join(above, part)
		l, base, err := r.parent(above)
		if err != nil {
			return err
		}
		err = l.folder.Mkdir(base, mode)
		l.close()
		if err != nil && !errors.Is(err, fs.ErrExist) {
			return named(err, "mkdir", above)
		}
	}
	folder, err := r.Sub(name)
	if err != nil {
		return err
	}
	return folder.Close()
}
