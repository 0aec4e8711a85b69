package contain

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// Limits on one path. Links may lead to and fro.
const (
	maxSteps = 1_000 // names of the path and of its symbolic links
	maxDepth = 100   // folders
	maxTries = 10    // tries while somebody replaces folders
)

// location is the end of a path. Its folder is held open.
type location struct {
	root, folder *os.Root    // root belongs to the caller; folder is the last folder of the path, or root
	names        []string    // of the folders below root, then of the file; none is a symbolic link
	file         fs.FileInfo // nil if the path ends at the folder
}

func (l *location) path() string { return path.Join(append([]string{"."}, l.names...)...) }

// close closes the folder unless it is the root.
func (l *location) close() { l.move(l.root) }

func (l *location) move(folder *os.Root) {
	if l.folder != l.root {
		l.folder.Close() //nolint:errcheck,gosec // a folder opened for reading has nothing to lose
	}
	l.folder = folder
}

func (l *location) restart() {
	l.close()
	l.names = nil
}

// locate follows a path and its symbolic links, folder by folder. It tries again while somebody replaces
// folders. The caller closes the location. After an error it has only names.
func (r *Root) locate(name string) (*location, error) {
	var l *location
	err := ErrReplaced
	for try := 0; try < maxTries && errors.Is(err, ErrReplaced); try++ {
		l = &location{root: r.folder, folder: r.folder}
		err = r.follow(l, name)
		if err != nil {
			l.close()
		}
	}
	if err != nil {
		return l, named(err, "open", name)
	}
	return l, nil
}

// hides reports whether one of a path's names is hidden, except the folder that is shown.
func (r *Root) hides(names []string) bool {
	if len(names) > 0 && r.shown != "" && names[0] == r.shown {
		names = names[1:]
	}
	return slices.ContainsFunc(names, hidden)
}

// follow moves l, which is at the root, along a path.
func (r *Root) follow(l *location, name string) error {
	if path.IsAbs(name) || filepath.IsAbs(filepath.FromSlash(name)) {
		return ErrEscapes
	}
	rest := strings.Split(name, "/")
	for steps := 0; len(rest) > 0; steps++ {
		part := rest[0]
		rest = rest[1:]
		switch {
		case steps >= maxSteps:
			return syscall.ELOOP
		case part == "" || part == ".":
			continue
		case l.file != nil: // it is a file
			return syscall.ENOTDIR
		case part == "..":
			if len(l.names) == 0 {
				return ErrEscapes
			}
			rest = slices.Concat(l.names[:len(l.names)-1], rest) // from the root again
			l.restart()
			continue
		case !filepath.IsLocal(part): // on Windows a device, such as NUL, or a stream of a file
			return syscall.ENOENT
		}
		part = spelled(l.folder, part)
		info, err := l.folder.Lstat(part)
		switch {
		case err != nil:
			return err
		case info.Mode()&fs.ModeSymlink != 0:
			rest, err = r.followLink(l, part, rest)
		case info.IsDir():
			err = l.enter(part, info)
		default:
			l.names, l.file = append(l.names, part), info
		}
		if err != nil {
			return err
		}
	}
	if r.hides(l.names) {
		return ErrHidden
	}
	return nil
}

// followLink returns the rest of the path with a symbolic link's target before it. An absolute target
// must be inside the root.
func (r *Root) followLink(l *location, link string, rest []string) ([]string, error) {
	target, err := l.folder.Readlink(link)
	if err != nil {
		return nil, err
	}
	if filepath.IsAbs(target) {
		target, err = filepath.Rel(r.dir, target)
		if err != nil || !filepath.IsLocal(target) {
			return nil, ErrEscapes
		}
		l.restart()
	}
	return append(strings.Split(filepath.ToSlash(target), "/"), rest...), nil
}

// enter opens a folder in the last one. info describes the folder that was seen: somebody may replace
// it by a symbolic link, which [os.Root] follows.
func (l *location) enter(name string, info fs.FileInfo) error {
	if len(l.names) >= maxDepth {
		return ErrTooDeep
	}
	folder, err := openSame(l.folder, name, info)
	if err != nil {
		return err
	}
	l.move(folder)
	l.names = append(l.names, name)
	return nil
}

// openSame opens a folder in another one if it is the folder that info describes.
func openSame(in *os.Root, name string, info fs.FileInfo) (*os.Root, error) {
	folder, err := in.OpenRoot(onlyFolder(name))
	if err != nil {
		return nil, replaced(in, name, info, err)
	}
	now, err := folder.Stat(".")
	if err != nil || !os.SameFile(info, now) {
		folder.Close() //nolint:errcheck,gosec // a folder opened for reading has nothing to lose
		return nil, cmp.Or(err, ErrReplaced)
	}
	return folder, nil
}

// replaced returns ErrReplaced if a name no longer means the file of info, and err otherwise.
func replaced(in *os.Root, name string, info fs.FileInfo, err error) error {
	now, lstatErr := in.Lstat(name)
	if lstatErr != nil || os.SameFile(info, now) {
		return err
	}
	return ErrReplaced
}
