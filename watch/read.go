package watch

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"golang.org/x/text/unicode/norm"

	"github.com/compound-docs/compound-docs/internal/contain"
	"github.com/compound-docs/compound-docs/internal/document"
)

// read returns a file with its present stamp. The error is errChanged if somebody was writing to the file. Any other
// error says why the file is no document or cannot be read. After an error the result has only the path.
func (f Folder) read(root *contain.Root, e entry) (document.File, error) {
	failed := document.File{Path: e.path}
	file, err := root.Read(e.name, contain.MaxDocument)
	if err != nil {
		return failed, explain(root, e.name, err)
	}
	if err := cmp.Or(checkName(e.name), f.covered(e.name, file.Target)); err != nil {
		return failed, err
	}
	stamp := StampOf(file.After)
	if int64(len(file.Content)) != stamp.Size || StampOf(file.Before) != stamp {
		return failed, errChanged
	}
	stamp.ChangeTime, stamp.Hash = provenTime(stamp.ChangeTime, time.Now()), sha256.Sum256(file.Content)
	return document.File{Path: e.path, Content: file.Content, Stamp: stamp}, nil
}

var errChanged = fmt.Errorf("%w: it was being written when it was read", document.ErrChanged)

// Read returns a file by its path in the folder. The error is [fs.ErrNotExist] if there is no file.
func (f Folder) Read(name string) (document.File, error) {
	root, err := f.Open()
	if err != nil {
		return document.File{}, err
	}
	defer root.Close() //nolint:errcheck // a folder opened for reading has nothing to lose
	return f.read(root, f.entry(name))
}

// Name converts a path in the index to a path in the folder. ok is false if the path is not one of the folder.
func (f Folder) Name(indexed string) (name string, ok bool) {
	name, ok = norm.NFC.String(indexed), true
	if f.Prefix != "" {
		name, ok = strings.CutPrefix(name, norm.NFC.String(f.Prefix)+"/")
	}
	return name, ok && fs.ValidPath(name) && !strings.ContainsRune(name, 0)
}

// Owns reports whether a path in the index may belong to the folder. It returns false for a path below a pruned folder.
func (f Folder) Owns(indexed string) bool {
	name, ok := f.Name(indexed)
	for dir := path.Dir(name); ok && dir != "."; dir = path.Dir(dir) {
		ok = !hidden(dir) && (f.Prune == nil || !f.Prune(dir))
	}
	return ok
}

// Changed returns the paths of files whose bytes have changed since their stamps were taken. stamps has the indexed
// stamps, by path. Writers of the index call Changed within their transactions.
func (f Folder) Changed(stamps map[string]document.Stamp) []string {
	return f.differing(stamps, func(root *contain.Root, e entry, stamp document.Stamp) bool {
		if stamp.Proves(e.stamp) {
			return true
		}
		present, err := f.read(root, e)
		return err == nil && present.Stamp.Hash == stamp.Hash
	})
}

// Outdated returns the paths of files whose present stamps differ from the indexed stamps. It reads no file.
func (f Folder) Outdated(stamps map[string]document.Stamp) []string {
	return f.differing(stamps, func(_ *contain.Root, e entry, stamp document.Stamp) bool {
		present := e.stamp
		if stamp.ChangeTime.IsZero() { // no walk has proven the time yet
			stamp.ChangeTime = present.ChangeTime
		}
		return stamp.Proves(present)
	})
}

// differing returns the paths of files that are missing or for which isCurrent returns false.
func (f Folder) differing(
	stamps map[string]document.Stamp, isCurrent func(root *contain.Root, e entry, stamp document.Stamp) bool,
) []string {
	root, err := f.Open()
	if err != nil {
		return slices.Collect(maps.Keys(stamps))
	}
	defer root.Close() //nolint:errcheck // a folder opened for reading has nothing to lose
	differing, excluded := []string{}, f.rules()
	for indexed, stamp := range stamps {
		e, err := f.entryOf(root, indexed, excluded)
		if err != nil || !isCurrent(root, e, stamp) {
			differing = append(differing, indexed)
		}
	}
	return differing
}

// Present returns the paths in the index that are files of the folder. If the folder cannot be read, it returns all
// paths. Writers of the index call Present within their transactions.
func (f Folder) Present(paths []string) []string {
	present, excluded := []string{}, f.rules()
	err := f.open(func(root *contain.Root) error {
		for _, indexed := range paths {
			if _, err := f.entryOf(root, indexed, excluded); !errors.Is(err, fs.ErrNotExist) && !unfit(err) {
				present = append(present, indexed)
			}
		}
		return nil
	})
	if err != nil {
		return paths
	}
	return present
}
