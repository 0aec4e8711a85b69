// Package contain reads and writes files of a folder that somebody hostile may have filled, such as a cloned
// repository. No other package of the product opens files of a repository.
//
//   - Nothing outside the folder is read or written. A symbolic link is followed if it stays inside.
//   - Nothing hidden is read, such as .git, whatever path or link leads to it.
//   - Only regular files are opened: no named pipe, device or socket.
//   - A file is read only up to a limit.
//
// [os.Root] keeps each path inside, even while somebody replaces files and folders. The package also follows symbolic
// links itself before it opens a file, and refuses hidden targets. The package must not know what files contain.
package contain

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"
)

// Limits for the size of files to read, in bytes. Files that people write by hand are smaller.
const (
	MaxDocument = 4 << 20
	MaxConfig   = 1 << 20 // for configurations, settings and schemas
)

// Reasons not to read or write a file. Errors of the system are returned as they are.
var (
	// ErrEscapes means that a path or a symbolic link leads out of the folder.
	ErrEscapes = errors.New("a path escapes from its folder")
	// ErrHidden means that a path leads to something hidden. Files such as .env may hold secrets.
	ErrHidden = errors.New("leads to a hidden file or folder")
	// ErrNotRegular means that something is not a regular file.
	ErrNotRegular = errors.New("not a regular file")
	// ErrChanged means that somebody else has saved a file since it was read.
	ErrChanged = errors.New("was saved by somebody else in the meantime, and stays as it is; try again")
	// errTooDeep means that a path has too many folders.
	errTooDeep = fmt.Errorf("is below more than %d folders", maxDepth)
)

// TooLargeError means that a file has more bytes than the caller's limit.
type TooLargeError struct{ Size, Limit int64 }

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("the file has %d bytes, more than %d", e.Size, e.Limit)
}

// Root is an open folder. Names in its methods are paths below the folder, with / separators. Safe for concurrent use.
type Root struct {
	dir    string // absolute
	folder *os.Root
	shown  string // a hidden top-level folder that is readable, or ""
}

// Open opens the folder dir. The caller must trust dir, because symbolic links in dir may lead anywhere. Open never
// waits for a named pipe.
func Open(dir string) (*Root, error) {
	folder, err := os.OpenRoot(onlyFolder(dir))
	if err != nil {
		return nil, err
	}
	return &Root{dir: dir, folder: folder}, nil
}

// OpenInside opens the folder dir, which is the folder base itself or a folder in base. Both paths are absolute. No
// symbolic link in dir may lead out of base or to something hidden. If dir equals base, dir must have no symbolic link
// at all. mayBeHidden allows dir to be a hidden top-level folder of base, or to lie in such a folder.
func OpenInside(base, dir string, mayBeHidden bool) (*Root, error) {
	name, err := filepath.Rel(base, dir)
	if err != nil {
		return nil, err
	}
	name = filepath.ToSlash(name)
	root, err := Open(base)
	if err != nil {
		return nil, err
	}
	if mayBeHidden {
		top, _, _ := strings.Cut(name, "/")
		root = root.Showing(top)
	}
	if name != "." {
		below, err := root.Sub(name)
		return below, errors.Join(err, root.Close())
	}
	resolved, err := filepath.EvalSymlinks(dir)
	if err != nil || resolved != dir {
		return nil, errors.Join(cmp.Or[error](err, &fs.PathError{Op: "open", Path: dir, Err: ErrEscapes}), root.Close())
	}
	return root, nil
}

// onlyFolder adds an ending to a path. With the ending, the system opens the path only if it is a folder.
func onlyFolder(dir string) string { return dir + string(filepath.Separator) + "." }

// Close closes the folder. It also closes the results of [Root.Showing], because they share the open folder.
func (r *Root) Close() error { return r.folder.Close() }

// Showing returns a root like r that can also read one hidden top-level folder. The two roots share the open folder, so
// the caller closes only one of them.
func (r *Root) Showing(folder string) *Root {
	return &Root{dir: r.dir, folder: r.folder, shown: folder}
}

// Sub opens a folder in r. The result stays open when r is closed.
func (r *Root) Sub(name string) (*Root, error) {
	target, info, err := r.Resolve(name)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, &fs.PathError{Op: "open", Path: name, Err: syscall.ENOTDIR}
	}
	folder, err := r.folder.OpenRoot(onlyFolder(filepath.FromSlash(target)))
	if err != nil {
		return nil, named(err, "open", name)
	}
	below := &Root{dir: filepath.Join(r.dir, filepath.FromSlash(target)), folder: folder}
	if target == "." {
		below.shown = r.shown
	}
	return below, nil
}

// Lstat describes a file, hidden or not, without following a symbolic link at the end of its path.
func (r *Root) Lstat(name string) (fs.FileInfo, error) {
	info, err := r.folder.Lstat(filepath.FromSlash(name))
	if errors.Is(err, fs.ErrNotExist) {
		other, parentErr := r.parent(name)
		if parentErr != nil {
			return nil, named(err, "lstat", name)
		}
		info, err = r.folder.Lstat(other)
	}
	if err != nil {
		return nil, named(err, "lstat", name)
	}
	return info, nil
}

// Exists reports whether there is something at a path. It returns true if it cannot tell.
func (r *Root) Exists(name string) bool {
	_, err := r.Lstat(name)
	// ENOTDIR: the path has a file where a folder is needed.
	return !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR)
}

// LeadsToFolderOutside reports whether name leads, by symbolic links, to a folder outside r. It opens nothing.
func (r *Root) LeadsToFolderOutside(name string) bool {
	if _, _, err := r.Resolve(name); !errors.Is(err, ErrEscapes) {
		return false
	}
	target, err := os.Stat(filepath.Join(r.dir, filepath.FromSlash(name)))
	return err == nil && target.IsDir()
}

// named returns an error with the whole path, because errors of [os.Root] name only a part of the path. If [os.Root]
// has refused a path that leads out, the result is [ErrEscapes].
func named(err error, op, name string) error {
	if pathErr, ok := errors.AsType[*fs.PathError](err); ok {
		err = pathErr.Err
	}
	if !errors.As(err, new(syscall.Errno)) && !errors.Is(err, ErrHidden) && !errors.Is(err, errTooDeep) {
		err = ErrEscapes
	}
	return &fs.PathError{Op: op, Path: path.Clean(name), Err: err}
}
