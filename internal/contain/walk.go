package contain

import (
	"errors"
	"io/fs"
	"os"
)

// Walk visits the folder and everything below it, as [fs.WalkDir] does. It leaves out hidden files, and
// follows no symbolic link.
func (r *Root) Walk(visit fs.WalkDirFunc) error {
	info, err := r.folder.Stat(".")
	if err != nil {
		return err
	}
	own := fs.FileInfoToDirEntry(info)
	err = visit(".", own, nil)
	if err != nil {
		return unlessSkipped(err)
	}
	return unlessSkipped(walk(r.folder, ".", 0, own, visit))
}

func unlessSkipped(err error) error {
	if errors.Is(err, fs.SkipDir) || errors.Is(err, fs.SkipAll) {
		return nil
	}
	return err
}

// walk visits the entries of an open folder. depth is the number of folders above it.
func walk(folder *os.Root, name string, depth int, own fs.DirEntry, visit fs.WalkDirFunc) error {
	entries, err := fs.ReadDir(folder.FS(), ".")
	if err != nil {
		err = visit(name, own, named(err, "open", name))
	}
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if hidden(entry.Name()) {
			continue
		}
		below := entry.Name()
		if name != "." {
			below = name + "/" + below // path.Join takes longer
		}
		err := walkEntry(folder, below, depth+1, entry, visit)
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

func walkEntry(in *os.Root, name string, depth int, entry fs.DirEntry, visit fs.WalkDirFunc) error {
	err := visit(name, entry, nil)
	if err != nil || !entry.IsDir() {
		return err
	}
	folder, err := openEntry(in, depth, entry)
	if err != nil {
		return visit(name, entry, named(err, "open", name))
	}
	defer folder.Close() //nolint:errcheck // a folder opened for reading has nothing to lose
	return walk(folder, name, depth, entry, visit)
}

func openEntry(in *os.Root, depth int, entry fs.DirEntry) (*os.Root, error) {
	if depth > maxDepth {
		return nil, ErrTooDeep
	}
	info, err := entry.Info()
	if err != nil {
		return nil, err
	}
	return openSame(in, entry.Name(), info)
}
