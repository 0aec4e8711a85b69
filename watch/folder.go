// Package watch keeps an index in step with files on disk. It walks folders, compares their files with the index, and
// reports the differences to an [Indexer]. It knows files and their changes, but no SQL, markdown or embedding.
package watch

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/compound-docs/compound-docs/internal/contain"
	"github.com/compound-docs/compound-docs/internal/document"
)

// Folder is a tree of files that belong in an index.
type Folder struct {
	// Dir is the folder's absolute path. Nothing outside the folder is read. A symbolic link to a file is followed if the
	// target belongs to the folder too. Links to folders are not followed.
	Dir string
	// Inside is a folder that must contain Dir, or "" for no such bound; see [contain.OpenInside].
	Inside string
	// TopHidden allows that the first folder on the path from Inside to Dir is hidden, such as .cursor.
	TopHidden bool
	// Prefix begins every file's path in the index.
	Prefix string
	// Match reports whether a file belongs to the folder. path is relative to Dir, with / separators.
	Match func(path string) bool
	// Prune, if not nil, reports whether a walk can skip a folder, because no file in it matches.
	Prune func(dir string) bool
	// Excluded, if not nil, returns a function for the present rules. The function returns why a matching file or a folder
	// is left out, or "" to keep it. Only one goroutine calls the function, and for a folder before its files.
	Excluded func() func(name string, folder bool) string
	// MayBeMissing says that a missing folder counts as an empty one.
	MayBeMissing bool
}

// entry is a file or a folder that a walk meets.
type entry struct {
	path string // in the index
	name string // in the folder
	// stamp describes the file, the target of a symbolic link, or the folder before it was read. The hash is zero, or the
	// hash of the indexed version if the file may still have the indexed bytes.
	stamp  document.Stamp
	folder bool
	err    error // why a file is no document, or why the file or the folder cannot be read
}

// sum returns a number for the path and the stamp. The sums of the same files have the same total in any order.
func (e entry) sum() uint64 {
	s := e.stamp
	text := append(append(make([]byte, 0, len(e.path)+100), e.path...), 0)
	for _, number := range []int64{s.Size, s.ModTime.UnixNano(), s.ChangeTime.UnixNano()} {
		text = append(strconv.AppendInt(text, number, 10), ' ')
	}
	hash := sha256.Sum256(strconv.AppendUint(text, s.Inode, 10))
	return binary.BigEndian.Uint64(hash[:])
}

// differs reports whether a folder of the last walk has a new stamp, because files have come or gone, or because the
// top folder was replaced. If the last walk found no folder, differs reports whether the top folder can be opened now.
func (f Folder) differs(folders map[string]document.Stamp) bool {
	for name, stamp := range folders {
		info, err := os.Stat(filepath.Join(f.Dir, filepath.FromSlash(name)))
		if err != nil || StampOf(info) != stamp {
			return true
		}
	}
	if len(folders) > 0 {
		return false
	}
	root, err := f.Open()
	if err != nil {
		return false
	}
	root.Close() //nolint:errcheck,gosec // a folder opened for reading has nothing to lose
	return true
}

// walk visits every folder and every matching file, except hidden ones.
func (f Folder) walk(ctx context.Context, root *contain.Root, visit func(e entry)) error {
	excluded := f.rules()
	return root.Walk(func(name string, d fs.DirEntry, err error) error {
		if ctxErr := context.Cause(ctx); ctxErr != nil {
			return ctxErr
		}
		switch {
		case err != nil && name == ".":
			return err
		case d.IsDir() && f.skips(name, excluded):
			return fs.SkipDir
		case d.IsDir(): // an error is always about a folder
			e := f.folderEntry(name, d)
			e.err = cmp.Or(err, checkName(name))
			visit(e)
			if e.err != nil {
				return fs.SkipDir
			}
			return nil
		}
		e, err := f.inspect(root, name, d, excluded)
		if !errors.Is(err, fs.ErrNotExist) {
			e.err = err
			visit(e)
		}
		return nil
	})
}

// folderEntry returns the entry of a folder. The stamp is zero if the folder cannot be described.
func (f Folder) folderEntry(name string, d fs.DirEntry) entry {
	e := f.entry(name)
	e.folder = true
	info, err := d.Info()
	if err != nil {
		return e
	}
	e.stamp = StampOf(info)
	return e
}

// entry returns the entry of a name in the folder. The path in the index always has the Unicode form NFC.
func (f Folder) entry(name string) entry {
	return entry{path: norm.NFC.String(path.Join(f.Prefix, name)), name: name}
}

// ReadAll reads every matching file and calls visit with the file. If a file cannot be indexed or a folder cannot be
// read, visit gets the reason, and a file that has only the path.
func (f Folder) ReadAll(ctx context.Context, visit func(file document.File, err error)) error {
	return f.open(func(root *contain.Root) error {
		return f.walk(ctx, root, func(e entry) {
			switch {
			case e.err != nil:
				visit(document.File{Path: e.path}, e.err)
			case !e.folder:
				visit(f.read(root, e))
			}
		})
	})
}

// Named finds files that have the name base, with or without the extension, and returns their paths in the index.
func (f Folder) Named(ctx context.Context, base string) []string {
	var found []string
	_ = f.open(func(root *contain.Root) error {
		return f.walk(ctx, root, func(e entry) {
			name := path.Base(e.path)
			if path.Ext(name) != "" && (name == base || strings.TrimSuffix(name, path.Ext(name)) == base) {
				found = append(found, e.path)
			}
		})
	})
	return found
}

// open opens the folder, calls action and closes the folder. If MayBeMissing is set, it ignores a missing folder.
func (f Folder) open(action func(root *contain.Root) error) error {
	root, err := f.Open()
	if f.MayBeMissing && errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("open folder: %w", err)
	}
	defer root.Close() //nolint:errcheck // a folder opened for reading has nothing to lose
	return action(root)
}

// entryOf returns the entry of a path in the index. The error is [fs.ErrNotExist] if a walk would not visit the file.
// Otherwise the error says why the file is no document or cannot be read.
func (f Folder) entryOf(root *contain.Root, indexed string, excluded rules) (entry, error) {
	name, ok := f.Name(indexed)
	if !ok || !f.covers(name, excluded) {
		return entry{}, fs.ErrNotExist
	}
	info, err := root.Lstat(name)
	if err != nil {
		return entry{}, err
	}
	return f.inspect(root, name, fs.FileInfoToDirEntry(info), excluded)
}

// inspect returns the entry of a name in the folder, with the errors of entryOf. d describes a link, not its target.
func (f Folder) inspect(root *contain.Root, name string, d fs.DirEntry, excluded rules) (entry, error) {
	e := f.entry(name)
	isLink := d.Type()&fs.ModeSymlink != 0
	switch {
	case d.IsDir():
		return e, fs.ErrNotExist
	case f.matches(name) && excluded(name, false) == "":
	case isLink && !f.skips(name, excluded) && root.LeadsToFolderOutside(name):
		return e, &unfitError{"is a symbolic link to a folder elsewhere, which is not followed; put the folder itself there"}
	default:
		return e, fs.ErrNotExist
	}
	target, info, err := resolve(root, name, d)
	if err := cmp.Or(err, checkName(name), f.covered(name, target), checkForm(root, name, info)); err != nil {
		return e, err
	}
	switch {
	case !info.Mode().IsRegular():
		return e, errNotRegular
	case info.Size() > contain.MaxDocument:
		return e, errTooLarge(info.Size())
	}
	e.stamp = StampOf(info)
	return e, nil
}

// resolve returns the path and the description of a file. For a symbolic link both are those of the target.
func resolve(root *contain.Root, name string, d fs.DirEntry) (string, fs.FileInfo, error) {
	if d.Type()&fs.ModeSymlink == 0 {
		info, err := d.Info()
		return name, info, err
	}
	target, info, err := root.Resolve(name)
	if err != nil {
		return "", nil, explain(root, name, err)
	}
	return target, info, nil
}

// rules is the function that [Folder.Excluded] returns.
type rules func(name string, folder bool) string

// rules returns the present rules. If Excluded is nil, the rules leave out nothing.
func (f Folder) rules() rules {
	if f.Excluded == nil {
		return func(string, bool) string { return "" }
	}
	return f.Excluded()
}

// skips reports whether a walk leaves out a folder and everything below it.
func (f Folder) skips(name string, excluded rules) bool {
	return name != "." && (hidden(name) || f.Prune != nil && f.Prune(name) || excluded(name, true) != "")
}

func (f Folder) matches(name string) bool { return !hidden(name) && f.Match(name) }

func hidden(name string) bool {
	base := path.Base(name)
	return base == "." || contain.Hidden(base)
}

// Covers reports whether a walk would visit a file with this path in the folder.
func (f Folder) Covers(name string) bool { return f.covers(name, f.rules()) }

func (f Folder) covers(name string, excluded rules) bool {
	if !f.matches(name) || excluded(name, false) != "" {
		return false
	}
	for dir := path.Dir(name); dir != "." && dir != "/"; dir = path.Dir(dir) {
		if f.skips(dir, excluded) {
			return false
		}
	}
	return true
}
