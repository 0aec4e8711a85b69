package workspace

import (
	"context"
	"path"
	"strings"
	"sync"

	"github.com/compound-docs/compound-docs/internal/contain"
	"github.com/compound-docs/compound-docs/internal/document"
	"github.com/compound-docs/compound-docs/internal/history"
)

// Sources are the files of a repository that documents may be about.
type Sources struct{ Root string }

// maxSource bounds the text of a file that is looked at, in bytes.
const maxSource = 256 << 10

// Text returns the beginning of a file, "" if it cannot be read.
func (s Sources) Text(name string) string {
	root, err := contain.Open(s.Root)
	if err != nil {
		return ""
	}
	defer root.Close() //nolint:errcheck // a folder opened for reading has nothing to lose
	file, err := root.Read(name, contain.MaxDocument)
	if err != nil {
		return ""
	}
	return strings.ToValidUTF8(string(file.Content[:min(len(file.Content), maxSource)]), "")
}

// fewFiles may have a name that documents cite without folders.
const fewFiles = 2

// Citing returns a function that reports whether a place that a document cites has lines of the given place. A name
// without folders means the file at the top, or else each of the few tracked files of the name.
func (s Sources) Citing(ctx context.Context, place document.Place) func(cited document.Place) bool {
	base := path.Base(place.Path)
	isFew := sync.OnceValue(func() bool {
		folder, err := history.Open(s.Root)
		if err != nil {
			return false
		}
		same, err := folder.Named(ctx, base)
		return err == nil && len(same) <= fewFiles && (len(same) == 0 || same[0] != base)
	})
	return func(cited document.Place) bool {
		if cited.Path == base && place.Path != base && isFew() {
			cited.Path = place.Path
		}
		return cited.Overlaps(place)
	}
}
