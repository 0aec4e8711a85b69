package watch

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// maxSymlinks is how many symbolic links are followed in one path, as on Linux.
const maxSymlinks = 40

var errEscapes = errors.New("leads out of the folder")

// resolve follows the symbolic links in a path, and returns the path in root that
// they lead to. The error is the system's, or errEscapes.
func resolve(root *os.Root, name string) (string, error) {
	var done []string
	rest := strings.Split(name, "/")
	for links := 0; len(rest) > 0; {
		part := rest[0]
		rest = rest[1:]
		switch part {
		case "", ".":
			continue
		case "..":
			if len(done) == 0 {
				return "", errEscapes
			}
			done = done[:len(done)-1]
			continue
		}
		at := filepath.FromSlash(path.Join(append(slices.Clone(done), part)...))
		info, err := root.Lstat(at)
		if err != nil {
			return "", err
		}
		if info.Mode()&fs.ModeSymlink == 0 {
			done = append(done, part)
			continue
		}
		if links++; links > maxSymlinks {
			return "", &fs.PathError{Op: "resolve", Path: name, Err: syscall.ELOOP}
		}
		target, err := root.Readlink(at)
		if err != nil {
			return "", err
		}
		if filepath.IsAbs(target) {
			return "", errEscapes
		}
		rest = append(strings.Split(filepath.ToSlash(target), "/"), rest...)
	}
	return path.Join(done...), nil
}

// visible is resolve for a file that is to be read. A hidden file is not read under
// any name, so a target that is hidden is an *unfitError.
func visible(root *os.Root, name string) (string, error) {
	target, err := resolve(root, name)
	if err != nil {
		return "", explain(root, name, err)
	}
	if hiddenBelow(target) {
		return "", &unfitError{fmt.Sprintf(
			"leads to %s by a symbolic link, and hidden files are not read; put the file itself there", target)}
	}
	return target, nil
}

// covered returns an error if name is a symbolic link to a file that the folder
// does not cover: a link is no way around a pattern.
func (f Folder) covered(root *os.Root, name string) error {
	target, err := visible(root, name)
	if err == nil && target != name && !f.Covers(target) {
		err = &unfitError{fmt.Sprintf(
			"is a symbolic link to %s, which does not belong to the documents; put the file itself there", target)}
	}
	return err
}

// hiddenBelow reports whether a part of the path is hidden.
func hiddenBelow(name string) bool {
	return slices.ContainsFunc(strings.Split(name, "/"), func(part string) bool {
		return part != "." && strings.HasPrefix(part, ".")
	})
}

// Open opens the folder under the rules of [Folder.Dir] and [Folder.Inside]. It
// opens nothing but a folder, since opening a named pipe waits for a writer.
func (f Folder) Open() (*os.Root, error) {
	if f.Inside == "" {
		return openFolder(f.Dir)
	}
	outer, err := openFolder(f.Inside)
	if err != nil {
		return nil, err
	}
	name, err := filepath.Rel(f.Inside, f.Dir)
	if err == nil {
		err = f.checkPlace(outer, filepath.ToSlash(name))
	}
	if err != nil {
		return nil, errors.Join(err, outer.Close())
	}
	inner, err := outer.OpenRoot(name)
	return inner, errors.Join(err, outer.Close())
}

// checkPlace returns an error if Dir, which is name in outer, is not a folder or
// leads by a symbolic link to where it must not.
func (f Folder) checkPlace(outer *os.Root, name string) error {
	if name == "." {
		resolved, err := filepath.EvalSymlinks(f.Dir)
		if err != nil {
			return err
		}
		if resolved != f.Dir {
			return &fs.PathError{Op: "open", Path: f.Dir, Err: errEscapes}
		}
		return nil
	}
	info, err := outer.Stat(filepath.FromSlash(name))
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return &fs.PathError{Op: "open", Path: f.Dir, Err: syscall.ENOTDIR}
	}
	target, err := resolve(outer, name)
	if errors.Is(err, errEscapes) { // an absolute link that stays inside is none to the system either
		return &fs.PathError{Op: "open", Path: f.Dir, Err: err}
	}
	if err == nil && hiddenBelow(target) {
		err = &fs.PathError{Op: "open", Path: f.Dir, Err: fmt.Errorf("leads to %s, and hidden folders are not read", target)}
	}
	return err
}

// openFolder opens a folder. It never waits for a named pipe: with "/." after it,
// only a folder's path can be opened.
func openFolder(dir string) (*os.Root, error) {
	return os.OpenRoot(dir + string(filepath.Separator) + ".")
}
