package contain

import (
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

// parent opens the folder of a path, and returns the last name of the path, which may not exist.
// The caller closes the place.
func (r *Root) parent(name string) (p *place, base string, err error) {
	if base = path.Base(name); !filepath.IsLocal(base) || base == "." {
		return nil, "", &fs.PathError{Op: "open", Path: name, Err: ErrEscapes}
	}
	p, err = r.find(path.Dir(name))
	if err != nil {
		return nil, "", err
	}
	if r.hides(append(p.names, base)) {
		p.close()
		return nil, "", named(ErrHidden, "open", name)
	}
	return p, base, nil
}

// Replace puts a file with another content in the place of a regular file, with the same
// mode. It does so in one step: a reader sees the old or the new content whole, and a crash
// leaves one of the two. Just before that it calls ready, whose error it returns. It does not
// replace a symbolic link.
func (r *Root) Replace(name string, content []byte, ready func() error) (err error) {
	p, base, err := r.parent(name)
	if err != nil {
		return err
	}
	defer p.close()
	folder := p.folder
	info, err := folder.Lstat(base)
	switch {
	case err != nil:
		return named(err, "open", name)
	case info.Mode()&fs.ModeSymlink != 0:
		return symlinkError(folder, base, name)
	case !info.Mode().IsRegular():
		return ErrNotRegular
	}
	temporary := temporaryPrefix + rand.Text()
	defer func() {
		if removeErr := folder.Remove(temporary); removeErr != nil && !errors.Is(removeErr, fs.ErrNotExist) {
			err = errors.Join(err, removeErr)
		}
	}()
	file, err := folder.OpenFile(temporary, newFile, info.Mode().Perm())
	if err != nil {
		return err
	}
	// The process's umask may have reduced the mode.
	err = writeSynced(file, content, file.Chmod(info.Mode().Perm()))
	if err == nil {
		err = ready()
	}
	if err != nil {
		return err
	}
	return folder.Rename(temporary, base)
}

// temporaryPrefix begins the name of a file that Replace writes. It is hidden, so that no
// walk takes it for a document.
const temporaryPrefix = ".compound-docs-"

// RemoveTemporary removes the files from a folder that a Replace has left there because the
// process was killed, if they were written before the time.
func (r *Root) RemoveTemporary(dir string, before time.Time) error {
	p, err := r.find(dir)
	if err != nil {
		return err
	}
	defer p.close()
	entries, err := fs.ReadDir(p.folder.FS(), ".")
	for _, entry := range entries {
		if !strings.HasPrefix(entry.Name(), temporaryPrefix) || !entry.Type().IsRegular() {
			continue
		}
		info, infoErr := entry.Info()
		if infoErr == nil && info.ModTime().Before(before) {
			err = errors.Join(err, p.folder.Remove(entry.Name()))
		}
	}
	return err
}

// symlinkError names the file that can be edited instead of a symbolic link. To
// rename a file over the link would replace the link.
func symlinkError(folder *os.Root, link, name string) error {
	target, err := folder.Readlink(link)
	if err != nil {
		return err
	}
	return fmt.Errorf("%s is a symbolic link; edit the file that it points to, %s", name, filepath.ToSlash(target))
}

// Create writes a new file. The error is [fs.ErrExist] if there is something at its path.
func (r *Root) Create(name string, content []byte, mode fs.FileMode) error {
	p, base, err := r.parent(name)
	if err != nil {
		return err
	}
	defer p.close()
	file, err := p.folder.OpenFile(base, newFile, mode)
	if err != nil {
		return named(err, "create", name)
	}
	return writeSynced(file, content, nil)
}

// newFile opens a file that is not there yet.
const newFile = os.O_WRONLY | os.O_CREATE | os.O_EXCL

// writeSynced writes a file, closes it, and returns when it is on disk. A problem that there
// is already is returned.
func writeSynced(file *os.File, content []byte, problem error) (err error) {
	defer func() { err = errors.Join(err, file.Close()) }()
	if problem != nil {
		return problem
	}
	if _, err := file.Write(content); err != nil {
		return err
	}
	return file.Sync()
}

// MkdirAll makes a folder and the missing folders above it.
func (r *Root) MkdirAll(name string, mode fs.FileMode) error {
	above := ""
	for part := range strings.SplitSeq(name, "/") {
		above = path.Join(above, part)
		p, base, err := r.parent(above)
		if err != nil {
			return err
		}
		err = p.folder.Mkdir(base, mode)
		p.close()
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
