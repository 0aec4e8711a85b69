// Package watch keeps an index in step with files on disk. It walks folders, compares them with the
// index, and gives the differences to the [Indexer] that it declares. It knows files and their changes.
// It must not know SQL, markdown or embedding.
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
	// Dir is the folder's absolute path. Nothing outside it is read. A symbolic link to a file is
	// followed if its target is in the folder and matches. Links to folders are not followed.
	Dir string
	// Inside is a folder that must contain Dir, or "" for no such bound; see [contain.OpenInside].
	Inside string
	// TopHidden says that the first folder of the way from Inside to Dir may be hidden.
	TopHidden bool
	// Prefix begins every path in the index.
	Prefix string
	// Match says which files belong to the folder, by their path in Dir, with / separators.
	Match func(path string) bool
	// Prune, if not nil, says which folders have no matching file.
	Prune func(dir string) bool
	// Excluded, if not nil, returns the present rules for leaving out files and folders that match. They return the
	// reason, "" for one that stays. Only one goroutine calls them, for a folder before its files.
	Excluded func() func(name string, folder bool) string
	// MayBeMissing makes a missing folder an empty one.
	MayBeMissing bool
}

// entry is a file or a folder of a walk.
type entry struct {
	path string // in the index
	name string // in the folder
	// stamp describes the file, or the target of a symbolic link, or a folder before it was read. Its
	// hash is that of the indexed version if the file may still have those bytes, and zero otherwise.
	stamp  document.Stamp
	folder bool
}

// sum is a number for the path and the stamp. Two walks that met the same files have the same sum of
// these numbers.
func (e entry) sum() uint64 {
	s := e.stamp
	text := append(append(make([]byte, 0, len(e.path)+100), e.path...), 0)
	for _, number := range []int64{s.Size, s.ModTime.UnixNano(), s.ChangeTime.UnixNano()} {
		text = append(strconv.AppendInt(text, number, 10), ' ')
	}
	hash := sha256.Sum256(strconv.AppendUint(text, s.Inode, 10))
	return binary.BigEndian.Uint64(hash[:])
}

// differs reports whether a folder of the last walk has another stamp: files may have come or gone, or
// the top folder was replaced. Without such folders it reports whether the top folder can be opened now.
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

// walk visits every folder and every matching file, except hidden ones. The error that visit gets says why
// a matching file is no document or cannot be read, or why a folder cannot be read.
func (f Folder) walk(ctx context.Context, root *contain.Root, visit func(e entry, err error)) error {
	excluded := f.rules()
	return root.Walk(func(name string, d fs.DirEntry, err error) error {
		if ctxErr := context.Cause(ctx); ctxErr != nil {
			return ctxErr
		}
		if err != nil {
			if name == "." {
				return err
			}
			visit(f.folderEntry(name, nil), err)
			return nil
		}
		if d.IsDir() {
			if f.skips(name, excluded) {
				return fs.SkipDir
			}
			err := checkName(name)
			visit(f.folderEntry(name, d), err)
			if err != nil {
				return fs.SkipDir
			}
			return nil
		}
		e, err := f.inspect(root, name, d, excluded)
		if !errors.Is(err, fs.ErrNotExist) {
			visit(e, err)
		}
		return nil
	})
}

// folderEntry returns the entry of a folder. A folder that cannot be read has no stamp; d may be nil then.
func (f Folder) folderEntry(name string, d fs.DirEntry) entry {
	e := f.entry(name)
	e.folder = true
	if d == nil {
		return e
	}
	info, err := d.Info()
	if err != nil {
		return e
	}
	e.stamp = StampOf(info)
	return e
}

// entry returns the entry of a name, which may have another Unicode form than its path in the index.
func (f Folder) entry(name string) entry {
	return entry{path: norm.NFC.String(path.Join(f.Prefix, name)), name: name}
}

// ReadAll calls take for every matching file. If a file cannot be indexed or a folder cannot be read, take
// gets the reason, and only the path.
func (f Folder) ReadAll(ctx context.Context, take func(file document.File, err error)) error {
	return f.open(func(root *contain.Root) error {
		return f.walk(ctx, root, func(e entry, err error) {
			switch {
			case err != nil:
				take(document.File{Path: e.path}, err)
			case !e.folder:
				take(f.read(root, e))
			}
		})
	})
}

// Named returns the paths in the index of the folder's files that have a name, with or without its extension.
func (f Folder) Named(ctx context.Context, base string) []string {
	var found []string
	_ = f.open(func(root *contain.Root) error {
		return f.walk(ctx, root, func(e entry, _ error) {
			name := path.Base(e.path)
			if path.Ext(name) != "" && (name == base || strings.TrimSuffix(name, path.Ext(name)) == base) {
				found = append(found, e.path)
			}
		})
	})
	return found
}

// open calls use with the folder, unless that is missing and may be.
func (f Folder) open(use func(root *contain.Root) error) error {
	root, err := f.Open()
	if f.MayBeMissing && errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("open folder: %w", err)
	}
	defer root.Close() //nolint:errcheck // a folder opened for reading has nothing to lose
	return use(root)
}

// entryOf returns the entry of a path of the index. The error is that of walk, or [fs.ErrNotExist] if walk would not
// visit the path.
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

// inspect is entryOf for a name in the folder that was listed. d does not follow a symbolic link.
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

// resolve returns the path and the state of a file, or of the target of a symbolic link.
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

// rules say why a file or a folder is left out, as [Folder.Excluded] returns them.
type rules func(name string, folder bool) string

// rules returns the present rules.
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

// Covers reports whether a walk would visit a file of that path.
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
