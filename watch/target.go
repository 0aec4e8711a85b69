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

// maxLinks is how many symbolic links a path may lead over, as for Linux.
const maxLinks = 40

var errEscapes = errors.New("leads out of the folder")

// resolve returns the path in root that name leads to over symbolic links, with
// no link left in it. The error is the system's, or errEscapes.
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
		if links++; links > maxLinks {
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

// visible returns what resolve does. What name leads to obeys the rule of names:
// nothing hidden is read, by whatever name. The error is that of look otherwise.
func visible(root *os.Root, name string) (string, error) {
	target, err := resolve(root, name)
	if err != nil {
		return "", explain(root, name, err)
	}
	if hiddenBelow(target) {
		return "", &unfitError{fmt.Sprintf("leads to %s by a symbolic link, and hidden files are not read; put the file itself there", target)}
	}
	return target, nil
}

// covered is an error where name leads by a symbolic link to what the folder does
// not cover by its own name, so that a link is no way around a pattern.
func (f Folder) covered(root *os.Root, name string) error {
	target, err := visible(root, name)
	if err == nil && target != name && !f.Covers(target) {
		err = &unfitError{fmt.Sprintf("is a symbolic link to %s, which does not belong to the documents; put the file itself there", target)}
	}
	return err
}

// hiddenBelow reports whether a part of the path is hidden.
func hiddenBelow(name string) bool {
	return slices.ContainsFunc(strings.Split(name, "/"), func(part string) bool {
		return part != "." && strings.HasPrefix(part, ".")
	})
}

// open opens the folder, as [Folder.Dir] and [Folder.Inside] say. Nothing but a
// folder is opened: opening a named pipe waits for a writer.
func (f Folder) open() (*os.Root, error) {
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

// checkPlace is an error for a folder that is none, and for one that leads to a
// hidden folder, or anywhere if Dir is Inside itself.
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

// openFolder opens what is a folder, and never waits: what follows the dot's
// slash is looked up in a folder, or not at all.
func openFolder(dir string) (*os.Root, error) {
	return os.OpenRoot(dir + string(filepath.Separator) + ".")
}
