package contain

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
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
	// maxTries is how often a path is looked up while somebody replaces what is there.
	maxTries = 10
)

// place is where a path leads. Its folders are held open.
type place struct {
	// folders begin with the root, which belongs to the caller. Each is in the one before it.
	folders []*os.Root
	// names are those of the folders behind the root, and then that of last.
	names []string
	// last describes the file at the end of the path, and is nil if a folder is there. It
	// never describes a symbolic link.
	last fs.FileInfo
}

func (p *place) path() string     { return path.Join(append([]string{"."}, p.names...)...) }
func (p *place) folder() *os.Root { return p.folders[len(p.folders)-1] }

// close closes all folders but the root.
func (p *place) close() { p.cut(1) }

// cut leaves so many folders.
func (p *place) cut(n int) {
	for _, folder := range p.folders[min(n, len(p.folders)):] {
		folder.Close() //nolint:errcheck,gosec // a folder opened for reading has nothing to lose
	}
	p.folders = p.folders[:min(n, len(p.folders))]
	p.names = p.names[:min(max(n-1, 0), len(p.names))]
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
		p = &place{folders: []*os.Root{r.folder}}
		if err = r.follow(p, name); err == nil && r.hides(p.names) {
			err = ErrHidden
		}
		if err == nil {
			return p, nil
		}
		names := slices.Clone(p.names)
		p.close()
		p.names = names
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
			if len(p.folders) == 1 {
				return ErrEscapes
			}
			p.cut(len(p.folders) - 1)
			continue
		case runtime.GOOS == "windows" && !windowsName(part):
			return syscall.ENOENT
		}
		info, err := p.folder().Lstat(part)
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
	target, err := p.folder().Readlink(link)
	if err != nil {
		return nil, err
	}
	if filepath.IsAbs(target) {
		if target, err = filepath.Rel(r.dir, target); err != nil || !filepath.IsLocal(target) {
			return nil, ErrEscapes
		}
		p.cut(1)
	}
	return append(strings.Split(filepath.ToSlash(target), "/"), rest...), nil
}

// enter opens a folder of the last one. info is what was there: somebody may have put a
// symbolic link in its place, which [os.Root] follows.
func (p *place) enter(name string, info fs.FileInfo) error {
	if len(p.folders) > maxDepth {
		return ErrTooDeep
	}
	folder, err := openSame(p.folder(), name, info)
	if err != nil {
		return err
	}
	p.folders, p.names = append(p.folders, folder), append(p.names, name)
	return nil
}

// openSame opens the folder at a name in another one, if it is the one that info is of.
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
