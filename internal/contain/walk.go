package contain

import (
	"errors"
	"io/fs"
	"os"
	"path"
)

// Walk visits the folder and everything below it, as [fs.WalkDir] does. It leaves out hidden files, and
// follows no symbolic link.
func (r *Root) Walk(visit fs.WalkDirFunc) error {
	info, err := r.folder.Stat(".")
	if err != nil {
		return err
	}
	own := fs.FileInfoToDirEntry(info)
	if err = visit(".", own, nil); err == nil {
		err = walk(r.folder, ".", 0, own, visit)
	}
	if errors.Is(err, fs.SkipDir) || errors.Is(err, fs.SkipAll) {
		return nil
	}
	return err
}

// walk visits the entries of an open folder. depth is the number of folders above it.
func walk(folder *os.Root, name string, depth int, own fs.DirEntry, visit fs.WalkDirFunc) error {
	entries, err := fs.ReadDir(folder.FS(), ".")
	if err != nil {
		if err = visit(name, own, named(err, "open", name)); err != nil {
			return err
		}
	}
	for _, entry := range entries {
		if hidden(entry.Name()) {
			continue
		}
		at := path.Join(name, entry.Name())
		err := visit(at, entry, nil)
		if err == nil && entry.IsDir() {
			err = walkBelow(folder, at, depth+1, entry, visit)
		}
		switch {
		case err == fs.SkipDir && entry.IsDir(): //nolint:errorlint // as in fs.WalkDir
		case err == fs.SkipDir: //nolint:errorlint // the same
			return nil
		case err != nil:
			return err
		}
	}
	return nil
}

func walkBelow(in *os.Root, name string, depth int, entry fs.DirEntry, visit fs.WalkDirFunc) error {
	var folder *os.Root
	info, err := entry.Info()
	if err == nil && depth > maxDepth {
		err = ErrTooDeep
	}
	if err == nil {
		folder, err = openSame(in, entry.Name(), info)
	}
	if err != nil {
		return visit(name, entry, named(err, "open", name))
	}
	defer folder.Close() //nolint:errcheck // a folder opened for reading has nothing to lose
	return walk(folder, name, depth, entry, visit)
}
