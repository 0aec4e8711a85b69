package contain

import (
	"cmp"
	"io/fs"
	"strings"
)

// Walk visits the folder and everything below it, like [fs.WalkDir]. It leaves out hidden files and folders, and
// follows no symbolic link.
func (r *Root) Walk(visit fs.WalkDirFunc) error {
	return fs.WalkDir(r.folder.FS(), ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return visit(name, entry, named(err, "open", name))
		case hidden(entry.Name()) && entry.IsDir():
			return fs.SkipDir
		case hidden(entry.Name()):
			return nil
		}
		err = visit(name, entry, nil)
		if err != nil || !entry.IsDir() || strings.Count(name, "/") < maxDepth {
			return err
		}
		return cmp.Or(visit(name, entry, named(errTooDeep, "open", name)), fs.SkipDir)
	})
}
