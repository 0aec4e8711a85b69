package watch

import (
	"crypto/sha256"
	"errors"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/compound-docs/compound-docs/internal/contain"
	"github.com/compound-docs/compound-docs/internal/document"
)

// nameOf returns a path of the index as one of the folder.
func (f Folder) nameOf(indexed string) (name string, ok bool) {
	name, ok = indexed, true
	if f.Prefix != "" {
		name, ok = strings.CutPrefix(indexed, f.Prefix+"/")
	}
	return name, ok && fs.ValidPath(name)
}

// Changed returns the paths of the index whose files no longer have the bytes of
// their stamps. Writers of the index ask it within their transactions.
func (f Folder) Changed(stamps map[string]document.Stamp) []string {
	root, err := f.Open()
	if err != nil {
		return slices.Collect(maps.Keys(stamps))
	}
	defer root.Close() //nolint:errcheck // a folder opened for reading has nothing to lose
	changed := []string{}
	for indexed, stamp := range stamps {
		if !f.holds(root, indexed, stamp) {
			changed = append(changed, indexed)
		}
	}
	return changed
}

// holds reports whether the file at a path of the index has the bytes of the stamp.
func (f Folder) holds(root *contain.Root, indexed string, stamp document.Stamp) bool {
	name, ok := f.nameOf(indexed)
	if !ok || !f.Covers(name) {
		return false
	}
	e, err := f.find(root, name)
	if err != nil {
		return false
	}
	if stamp.Proves(e.stat.stamp()) {
		return true
	}
	content, _, err := f.read(root, e)
	return err == nil && sha256.Sum256(content) == stamp.Hash
}

// Present returns those of the paths of the index that are files of the folder.
// Where the folder cannot be looked into that is all of them. Writers of the index
// ask it within their transactions.
func (f Folder) Present(paths []string) []string {
	root, err := f.Open()
	if errors.Is(err, fs.ErrNotExist) && f.MayBeMissing {
		return nil
	}
	if err != nil {
		return paths
	}
	defer root.Close() //nolint:errcheck // a folder opened for reading has nothing to lose
	present := []string{}
	for _, indexed := range paths {
		name, ok := f.nameOf(indexed)
		if !ok || !f.Covers(name) {
			continue
		}
		if _, err := f.find(root, name); !errors.Is(err, fs.ErrNotExist) && !unfit(err) {
			present = append(present, indexed)
		}
	}
	return present
}
