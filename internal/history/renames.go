package history

import (
	"context"
	"fmt"
	"io"
	"slices"
)

// maxRenames bounds the search for renames. Git first pairs removed files with added files by equal bytes or equal
// names. Then it compares all remaining removed files with all remaining added files. If there would be more than
// maxRenames² comparisons, git leaves out this second step.
const maxRenames = 300

// Renamed returns the new paths of files that were moved between two commits, by their old paths. A moved file has kept
// at least half of its content. With very many files, Renamed finds only files that have kept their bytes or their
// name, see maxRenames. The map is nil only with an error.
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
