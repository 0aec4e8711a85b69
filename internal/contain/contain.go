// Package contain reads and writes the files of a folder that somebody hostile may have
// filled, such as a cloned repository. It is the only package of the product that opens
// files of a repository:
//
//   - Nothing outside of the folder is read or written. A symbolic link is followed if it
//     stays inside.
//   - Nothing hidden is read, by whatever name or link it is reached.
//   - Only regular files are opened: a named pipe, a device or a socket never is.
//   - A file is read up to a limit.
//
// All of it holds while somebody replaces files and folders: each folder on the way to a
// file is opened, and must be the folder that was seen before. The package knows names and
// files. It must not know their content.
package contain

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"syscall"
)

// The largest files that are read, in bytes. Nobody writes larger ones by hand.
const (
	MaxDocument = 4 << 20
	// MaxConfig is for configurations, settings and schemas.
	MaxConfig = 1 << 20
)

// Why something is not read. Errors of the system come as they are.
var (
	// ErrEscapes means that a path or a symbolic link leads out of the folder.
	ErrEscapes = errors.New("a path escapes from its folder")
	// ErrHidden means that a path leads to a hidden file or folder: .git, .env, .aws and the
	// like may hold secrets.
	ErrHidden = errors.New("leads to a hidden file or folder")
	// ErrNotRegular means that something is not a regular file.
	ErrNotRegular = errors.New("not a regular file")
	// ErrReplaced means that somebody kept replacing a file or a folder on the way to it.
	ErrReplaced = errors.New("was replaced while it was opened")
	// ErrTooDeep means that there are too many folders on the way. A deep tree would take all
	// file descriptors.
	ErrTooDeep = fmt.Errorf("is below more than %d folders", maxDepth)
)

// TooLargeError means that a file has more bytes than are read.
type TooLargeError struct{ Size, Limit int64 }

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("the file has %d bytes, more than %d", e.Size, e.Limit)
}

// Root is an open folder. Paths in it have / separators. Safe for concurrent use.
type Root struct {
	dir    string // absolute
	folder *os.Root
	shown  string
}

// Open opens a folder, wherever its path leads. The caller must trust the path. Open never waits
// for a named pipe.
func Open(dir string) (*Root, error) {
	folder, err := os.OpenRoot(onlyFolder(dir))
	if err != nil {
		return nil, err
	}
	return &Root{dir: dir, folder: folder}, nil
}

// OpenInside opens a folder that is inside of another one: a symbolic link in its path must
// not lead out of that, nor to something hidden. If both are the same, there must be no
// symbolic link in its path at all. Both paths are absolute.
func OpenInside(outer, dir string) (*Root, error) {
	name, err := filepath.Rel(outer, dir)
	if err != nil {
		return nil, err
	}
	root, err := Open(outer)
	if err != nil {
		return nil, err
	}
	if name != "." {
		below, err := root.Sub(filepath.ToSlash(name))
		return below, errors.Join(err, root.Close())
	}
	resolved, err := filepath.EvalSymlinks(dir)
	if err == nil && resolved != dir {
		err = &fs.PathError{Op: "open", Path: dir, Err: ErrEscapes}
	}
	if err != nil {
		return nil, errors.Join(err, root.Close())
	}
	return root, nil
}

// onlyFolder returns a path that can be opened only if it is that of a folder.
func onlyFolder(dir string) string { return dir + string(filepath.Separator) + "." }

// Close closes the folder, for all that [Root.Showing] has returned too.
func (r *Root) Close() error { return r.folder.Close() }

// Showing returns a root like r, but one hidden top-level folder is readable. The caller
// closes one of the two.
func (r *Root) Showing(folder string) *Root {
	return &Root{dir: r.dir, folder: r.folder, shown: folder}
}

// Sub opens a folder in r. r can be closed before it.
func (r *Root) Sub(name string) (*Root, error) {
	p, err := r.find(name)
	if err != nil {
		return nil, err
	}
	if p.last != nil {
		p.close()
		return nil, &fs.PathError{Op: "open", Path: name, Err: syscall.ENOTDIR}
	}
	if len(p.names) == 0 { // r itself
		folder, err := r.folder.OpenRoot(".")
		if err != nil {
			return nil, err
		}
		return &Root{dir: r.dir, folder: folder, shown: r.shown}, nil
	}
	return &Root{dir: filepath.Join(r.dir, filepath.FromSlash(p.path())), folder: p.folder}, nil
}

// Resolve follows the symbolic links in a path, and returns the path that they lead to.
// That is also returned with [ErrHidden].
func (r *Root) Resolve(name string) (target string, err error) {
	p, err := r.find(name)
	defer p.close()
	return p.path(), err
}

// Follow is Resolve for a caller that also needs the file information.
func (r *Root) Follow(name string) (target string, info fs.FileInfo, err error) {
	p, err := r.find(name)
	defer p.close()
	if err != nil {
		return p.path(), nil, err
	}
	if info = p.last; info == nil {
		info, err = p.folder.Stat(".")
	}
	return p.path(), info, err
}

// Lstat says what there is at a path, without following a symbolic link at its end. It looks
// at hidden files too.
func (r *Root) Lstat(name string) (fs.FileInfo, error) {
	info, err := r.folder.Lstat(filepath.FromSlash(name))
	return info, named(err, "lstat", name)
}

// Exists reports whether a path is a file or a folder. A path that cannot be looked at counts
// as one.
func (r *Root) Exists(name string) bool {
	_, err := r.Lstat(name)
	// ENOTDIR: the path goes through a file as if that were a folder.
	return err == nil || !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR)
}

// LeadsToFolderOutside reports whether a symbolic link leads to a folder outside of r. It
// looks what the link leads to, and opens nothing.
func (r *Root) LeadsToFolderOutside(name string) bool {
	if _, err := r.Resolve(name); !errors.Is(err, ErrEscapes) {
		return false
	}
	target, err := os.Stat(filepath.Join(r.dir, filepath.FromSlash(name)))
	return err == nil && target.IsDir()
}

// named gives an error of the system the whole path. [os.Root] names only a part of the path, and
// has another error for a path that leads out.
func named(err error, op, name string) error {
	if err == nil {
		return nil
	}
	if pathErr, ok := errors.AsType[*fs.PathError](err); ok {
		err = pathErr.Err
	}
	is := func(own error) bool { return errors.Is(err, own) }
	if !errors.As(err, new(syscall.Errno)) && !slices.ContainsFunc([]error{ErrReplaced, ErrHidden, ErrTooDeep}, is) {
		err = ErrEscapes
	}
	return &fs.PathError{Op: op, Path: path.Clean(name), Err: err}
}
