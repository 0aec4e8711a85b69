package workspace

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"path"
	"strings"
	"sync"

	"github.com/compound-docs/compound-docs/internal/contain"
	"github.com/compound-docs/compound-docs/internal/document"
	"github.com/compound-docs/compound-docs/internal/history"
	"github.com/compound-docs/compound-docs/internal/hooks/trigger"
)

// Sources gives access to the files of a repository, which documents may cite.
type Sources struct {
	Root string
	// Moved returns the new paths of moved files and folders, by the path that documents cite.
	Moved func(ctx context.Context) map[string]string
}

// maxSource bounds the bytes of a file that Text returns.
const maxSource = 256 << 10

// Text returns the beginning of a file. It returns "" if the file cannot be read or exceeds [contain.MaxDocument].
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

// Exists reports whether the repository has a file or a folder at the path name.
func (s Sources) Exists(name string) bool {
	_, err := s.describe(name)
	return err == nil
}

func (s Sources) describe(name string) (fs.FileInfo, error) {
	root, err := contain.Open(s.Root)
	if err != nil {
		return nil, err
	}
	info, err := root.Lstat(name)
	return info, errors.Join(err, root.Close())
}

// Share returns the share of tracked files that the patterns match, from 0 to 1. It returns 0 without git.
func (s Sources) Share(ctx context.Context, patterns []string) float64 {
	files, err := history.Tracked(ctx, s.Root)
	if err != nil || len(files) == 0 {
		return 0
	}
	like := 0
	for _, file := range files {
		if trigger.AreLike(patterns, file) {
			like++
		}
	}
	return float64(like) / float64(len(files))
}

// Former returns earlier paths of the file at name that documents still cite. The file or its folder has moved since.
func (s Sources) Former(ctx context.Context, name string) []string {
	var former []string
	for cited, now := range s.Moved(ctx) {
		if now == name || strings.HasSuffix(now, "/") && strings.HasPrefix(name, now) {
			former = append(former, cited)
		}
	}
	return former
}

// fewFiles is the greatest number of files that a cited name without folders can mean.
const fewFiles = 2

// Citing returns a function that reports whether a cited place overlaps the given place. A cited name without folders
// means the file at the top of the repository. Without such a file it means all files of that name, but nothing if more
// than fewFiles have the name.
func (s Sources) Citing(ctx context.Context, place document.Place) func(cited document.Place) bool {
	base := path.Base(place.Path)
	isFew := sync.OnceValue(func() bool {
		same, err := history.Named(ctx, s.Root, base)
		return err == nil && len(same) <= fewFiles && (len(same) == 0 || same[0] != base)
	})
	moved := s.Moved(ctx)
	return func(cited document.Place) bool {
		cited.Path = cmp.Or(moved[cited.Path], cited.Path)
		if cited.Path == base && place.Path != base && isFew() {
			cited.Path = place.Path
		}
		return cited.Overlaps(place)
	}
}
