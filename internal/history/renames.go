package history

import (
	"context"
	"fmt"
	"io"
	"slices"
)

// maxRenames bounds the comparisons for renames. Git compares files that were removed with files that were added,
// without those of the same bytes or the same name. It compares none if that exceeds the square of maxRenames.
const maxRenames = 300

// Renamed returns the new paths of files that were moved between two commits, by their old paths. At least
// half of a file's lines are the same. If maxRenames is exceeded, it returns only files with the same bytes or
// the same name. The map is nil only with an error.
func (f Folder) Renamed(ctx context.Context, from, to string) (map[string]string, error) {
	renamed := map[string]string{}
	arguments := slices.Concat(
		[]string{"diff-tree", "-r", "--find-renames=50%", fmt.Sprint("-l", maxRenames)}, f.listing("R"), []string{from, to})
	err := f.run(ctx, func(output io.Reader) error {
		return parseLog(output, func(c change) { renamed[c.from] = c.path })
	}, arguments...)
	if err != nil {
		return nil, err
	}
	return renamed, nil
}
