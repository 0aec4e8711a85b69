package contain

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

const (
	// maxSymlinks is how many symbolic links are followed in one path, as on Linux.
	maxSymlinks = 40
	// maxSteps is how many names are followed in one path: a link may lead to and fro.
	maxSteps = 1_000
	// maxDepth is how many folders there may be on the way to a file.
	maxDepth = 100
	// maxTries is how often a path is looked up while somebody replaces folders on it.
	maxTries = 10
)

// place is where a path leads. Its folder is held open.
type place struct {
	// root belongs to the caller. folder is the last folder of the path, or the root itself.
	root, folder *os.Root
	// names are the folders below the root, and then last. None of them is a symbolic link.
	names []string
	// last describes the file at the end of the path, and is nil if a folder is there.
	last fs.FileInfo
}

func (p *place) path() string { return path.Join(append([]string{"."}, p.names...)...) }

// close closes the folder, unless it is the root.
func (p *place) close() { p.move(p.root) }

// move makes another folder that of the place.
func (p *place) move(folder *os.Root) {
	if p.folder != p.root {
		p.folder.Close() //nolint:errcheck,gosec // a folder opened for reading has nothing to lose
	}
	p.folder = folder
}

// find follows a path and the symbolic links in it, folder by folder. It tries again while
// somebody replaces folders on the way. The caller closes the place, which has names alone if
// there is an error.
func (r *Root) find(name string) (*place, error) {
	if path.IsAbs(name) || filepath.IsAbs(filepath.FromSlash(name)) {
		return &place{}, named(ErrEscapes, "open", name)
	}
	var p *place
	var err error
	for range maxTries {
		p = &place{root: r.folder, folder: r.folder}
		if err = r.follow(p, name); err == nil && r.hides(p.names) {
			err = ErrHidden
		}
		if err == nil {
			return p, nil
		}
		p.close()
		if err != ErrReplaced { //nolint:errorlint // it is not wrapped yet
			break
		}
	}
	return p, named(err, "open", name)
}

// hides reports whether one of the names of a path is hidden, other than the folder that is
// shown.
func (r *Root) hides(names []string) bool {
	if len(names) > 0 && r.shown != "" && names[0] == r.shown {
		names = names[1:]
	}
	return slices.ContainsFunc(names, hidden)
}

// follow extends a place, which is the root, by a path.
func (r *Root) follow(p *place, name string) error {
	rest := strings.Split(name, "/")
	links, steps := 0, 0
	for len(rest) > 0 {
		part := rest[0]
		rest = rest[1:]
		switch steps++; {
		case steps > maxSteps:
			return syscall.ENAMETOOLONG
		case part == "" || part == ".":
			continue
		case p.last != nil: // it is a file
			return syscall.ENOTDIR
		case part == "..":
			if len(p.names) == 0 {
				return ErrEscapes
			}
			rest = slices.Concat(p.names[:len(p.names)-1], rest) // from the root again
			p.close()
			p.names = nil
			continue
		case !filepath.IsLocal(part): // on Windows a device, such as NUL, or a stream of a file
			return syscall.ENOENT
		}
		info, err := p.folder.Lstat(part)
		switch {
		case err != nil:
			return err
		case info.Mode()&fs.ModeSymlink != 0:
			if links++; links > maxSymlinks {
				return syscall.ELOOP
			}
			if rest, err = r.followLink(p, part, rest); err != nil {
				return err
			}
		case info.IsDir():
			if err := p.enter(part, info); err != nil {
				return err
			}
		default:
			p.names, p.last = append(p.names, part), info
		}
	}
	return nil
}

// followLink returns the path that is left to follow behind a symbolic link. An absolute link
// is followed from the root, if it leads there.
func (r *Root) followLink(p *place, link string, rest []string) ([]string, error) {
	target, err := p.folder.Readlink(link)
	if err != nil {
		return nil, err
	}
	if filepath.IsAbs(target) {
		if target, err = filepath.Rel(r.dir, target); err != nil || !filepath.IsLocal(target) {
			return nil, ErrEscapes
		}
		p.close()
		p.names = nil
	}
	return append(strings.Split(filepath.ToSlash(target), "/"), rest...), nil
}

// enter opens a folder inside the last one. info describes the folder seen before: somebody may
// have put a symbolic link in its place, which [os.Root] follows.
func (p *place) enter(name string, info fs.FileInfo) error {
	if len(p.names) >= maxDepth {
		return ErrTooDeep
	}
	folder, err := openSame(p.folder, name, info)
	if err != nil {
		return err
	}
	p.move(folder)
	p.names = append(p.names, name)
	return nil
}

// openSame opens a folder inside another one, if it is the folder that info describes.
func openSame(in *os.Root, name string, info fs.FileInfo) (*os.Root, error) {
	folder, err := in.OpenRoot(onlyFolder(name))
	if err != nil {
		return nil, replaced(in, name, info, err)
	}
	now, err := folder.Stat(".")
	if err == nil && !os.SameFile(info, now) {
		err = ErrReplaced
	}
	if err != nil {
		folder.Close() //nolint:errcheck,gosec // a folder opened for reading has nothing to lose
		return nil, err
	}
	return folder, nil
}

// replaced returns why something could not be opened: ErrReplaced if it is no longer what it
// was.
func replaced(in *os.Root, name string, info fs.FileInfo, err error) error {
	if now, lstatErr := in.Lstat(name); lstatErr == nil && !os.SameFile(info, now) {
		return ErrReplaced
	}
	return err
}
