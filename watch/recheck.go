package watch

import (
	"context"
	"crypto/sha256"
	"errors"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"

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

// Changed is for the writers of the index: see index.Source.
func (f Folder) Changed(stamps map[string]document.Stamp) []string {
	root, err := f.open()
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
func (f Folder) holds(root *os.Root, indexed string, stamp document.Stamp) bool {
	name, ok := f.nameOf(indexed)
	if !ok || !f.Covers(name) {
		return false
	}
	e, err := f.find(root, name)
	if err != nil {
		return false
	}
	if stamp.Proves(e.stamp) {
		return true
	}
	content, _, err := read(root, e)
	return err == nil && sha256.Sum256(content) == stamp.Hash
}

// Present is for the writers of the index: see index.Source.
func (f Folder) Present(paths []string) []string {
	root, err := f.open()
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

// withdraw takes out of the index what it holds of the files, by their names in
// the folder, that is no longer there, since their present versions cannot be
// indexed for now.
func (f Folder) withdraw(ctx context.Context, root *os.Root, indexer Indexer, names []string) error {
	for batch := range slices.Chunk(names, maxTouched) {
		stamps, gone := map[string]document.Stamp{}, []string{}
		for _, name := range batch {
			e, err := f.find(root, name)
			var content []byte
			if err == nil {
				content, e, err = read(root, e)
			}
			switch {
			case err == nil:
				stamps[e.path] = e.file(content).Stamp()
			case errors.Is(err, fs.ErrNotExist), unfit(err):
				gone = append(gone, e.path)
			}
		}
		if err := indexer.Remove(ctx, gone); err != nil {
			return err
		}
		if err := indexer.Withdraw(ctx, stamps); err != nil {
			return err
		}
	}
	return nil
}
