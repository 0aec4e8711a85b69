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

// parent follows the symbolic links of a path, except a link at its end, and returns the resulting path. The last name
// of the path may be missing on the disk.
func (r *Root) parent(name string) (string, error) {
	base := path.Base(name)
	if !filepath.IsLocal(base) || base == "." {
		return "", &fs.PathError{Op: "open", Path: name, Err: ErrEscapes}
	}
	folder, _, err := r.Resolve(path.Dir(name))
	if err != nil {
		return "", err
	}
	target := path.Join(folder, base)
	if r.hides(strings.Split(target, "/")) {
		return "", named(ErrHidden, "open", name)
	}
	return r.spelled(filepath.FromSlash(target)), nil
}

// Replace replaces the content of a regular file in one step, and keeps the file's mode and owner. A reader sees the
// whole old or the whole new content, also after a crash. The error is [ErrChanged] if the file's content is no longer
// oldContent. Replace refuses a symbolic link. It also removes temporary files that killed calls left in the folder.
func (r *Root) Replace(name string, oldContent, content []byte) error {
	target, err := r.parent(name)
	if err != nil {
		return err
	}
	info, err := r.folder.Lstat(target)
	switch {
	case err != nil:
		return named(err, "open", name)
	case info.Mode()&fs.ModeSymlink != 0:
		linked, _, _ := r.Resolve(name) // a rename would replace the link
		return fmt.Errorf("%s is a symbolic link; edit the file that it points to, %s", name, linked)
	case !info.Mode().IsRegular():
		return ErrNotRegular
	}
	r.removeTemporary(filepath.Dir(target))
	temporary := filepath.Join(filepath.Dir(target), temporaryPrefix+rand.Text())
	defer r.folder.Remove(temporary) //nolint:errcheck // after the rename there is nothing to remove
	if err := writeNew(r.folder, temporary, content, info.Mode().Perm()); err != nil {
		return err
	}
	if err := keepOwner(r.folder, temporary, info); err != nil {
		return err
	}
	// The process's umask may have reduced the mode.
	if err := r.folder.Chmod(temporary, info.Mode().Perm()); err != nil {
		return err
	}
	current, err := r.Read(name, int64(len(oldContent)))
	_, grown := errors.AsType[*TooLargeError](err)
	switch {
	case grown, err == nil && !bytes.Equal(current.Content, oldContent):
		return fmt.Errorf("%s %w", name, ErrChanged)
	case err != nil:
		return err
	}
	return r.folder.Rename(temporary, target)
}

// temporaryPrefix begins the names of temporary files of [Root.Replace]. The dot hides them from [Root.Walk].
const temporaryPrefix = ".compound-docs-"

// temporaryAge is the age after which a temporary file counts as left by a killed process.
const temporaryAge = time.Minute

// removeTemporary removes the temporary files that killed processes left in a folder, as far as it can.
func (r *Root) removeTemporary(folder string) {
	entries, _ := fs.ReadDir(r.folder.FS(), filepath.ToSlash(folder))
	for _, entry := range entries {
		info, err := entry.Info()
		if err == nil && strings.HasPrefix(entry.Name(), temporaryPrefix) && info.Mode().IsRegular() &&
			time.Since(info.ModTime()) > temporaryAge {
			_ = r.folder.Remove(filepath.Join(folder, entry.Name())) // the next call tries again
		}
	}
}

// Create writes a new file, and makes the missing folders above it. The error is [fs.ErrExist] if the path exists.
func (r *Root) Create(name string, content []byte, mode fs.FileMode) error {
	if err := r.makeFolders(path.Dir(name)); err != nil {
		return err
	}
	target, err := r.parent(name)
	if err != nil {
		return err
	}
	if err := writeNew(r.folder, target, content, mode); err != nil {
		return named(err, "create", name)
	}
	return nil
}

// writeNew makes a file in a folder, and returns when the content is on the disk.
func writeNew(folder *os.Root, name string, content []byte, mode fs.FileMode) error {
	file, err := folder.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = file.Write(content)
	return errors.Join(err, file.Sync(), file.Close())
}

// Save replaces a file like [Root.Replace]. If the file is missing, Save calls [Root.Create] with content and mode.
func (r *Root) Save(name string, oldContent, content []byte, mode fs.FileMode) error {
	err := r.Replace(name, oldContent, content)
	if errors.Is(err, fs.ErrNotExist) {
		return r.Create(name, content, mode)
	}
	return err
}

// makeFolders makes a folder and the missing folders above it.
func (r *Root) makeFolders(name string) error {
	const readable = 0o755
	above := ""
	for part := range strings.SplitSeq(path.Clean(name), "/") {
		if part == "." {
			continue
		}
		above = path.Join(above, part)
		target, err := r.parent(above)
		if err != nil {
			return err
		}
		err = r.folder.Mkdir(target, readable)
		if err != nil && !errors.Is(err, fs.ErrExist) {
			return named(err, "mkdir", above)
		}
	}
	return nil
}
