package contain

import (
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// Limits on one path, because its symbolic links may lead in circles.
const (
	maxSteps = 1_000 // names of the path and of its symbolic links
	maxDepth = 100   // folders
)

// Resolve follows the symbolic links of a path. It returns the path without links, and describes the file there. If the
// error is [ErrHidden], it also returns the path.
func (r *Root) Resolve(name string) (target string, info fs.FileInfo, err error) {
	names, info, err := r.follow(name)
	target = path.Join(append(names, ".")...)
	switch {
	case err != nil:
		return target, nil, named(err, "open", name)
	case r.hides(names):
		return target, nil, named(ErrHidden, "open", name)
	}
	return target, info, nil
}

// hides reports whether a name of a path is hidden. The top-level folder r.shown does not count as hidden.
func (r *Root) hides(names []string) bool {
	if len(names) > 0 && r.shown != "" && names[0] == r.shown {
		names = names[1:]
	}
	return slices.ContainsFunc(names, hidden)
}

// follow follows the symbolic links of a path, and allows hidden names. names are the parts of the resulting path. info
// describes the file at this path.
func (r *Root) follow(name string) (names []string, info fs.FileInfo, err error) {
	if path.IsAbs(name) || filepath.IsAbs(filepath.FromSlash(name)) {
		return nil, nil, ErrEscapes
	}
	rest := strings.Split(name, "/")
	for steps := 0; len(rest) > 0; steps++ {
		part := rest[0]
		rest = rest[1:]
		switch {
		case steps >= maxSteps:
			return names, nil, syscall.ELOOP
		case part == "" || part == ".":
			continue
		case part == "..":
			if len(names) == 0 {
				return nil, nil, ErrEscapes
			}
			names, info = names[:len(names)-1], nil
			continue
		case !filepath.IsLocal(part): // on Windows, a device such as NUL, or a stream of a file
			return names, nil, syscall.ENOENT
		case len(names) > maxDepth:
			return names, nil, errTooDeep
		}
		at := r.spelled(filepath.Join(append(names, part)...))
		info, err = r.folder.Lstat(at)
		switch {
		case err != nil:
			return names, nil, err
		case info.Mode()&fs.ModeSymlink == 0:
			names = append(names, filepath.Base(at))
		default:
			info = nil
			names, rest, err = r.followLink(names, at, rest)
			if err != nil {
				return names, nil, err
			}
		}
	}
	if info == nil { // after "..", after a link to "." or "..", or for the folder itself
		info, err = r.folder.Lstat(filepath.Join(append(names, ".")...))
	}
	return names, info, err
}

// followLink reads the symbolic link in folder. It returns the folder from which the path goes on, and the names that
// follow there: the names of the link's target, then the names in rest. An absolute target must be inside the root.
func (r *Root) followLink(folder []string, link string, rest []string) (from, path []string, err error) {
	target, err := r.folder.Readlink(link)
	if err != nil {
		return folder, nil, err
	}
	if filepath.IsAbs(target) {
		target, err = filepath.Rel(r.dir, target)
		if err != nil || !filepath.IsLocal(target) {
			return folder, nil, ErrEscapes
		}
		folder = nil
	}
	return folder, slices.Concat(strings.Split(filepath.ToSlash(target), "/"), rest), nil
}
