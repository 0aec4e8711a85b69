package history

import (
	"bufio"
	"context"
	"io"
	"path"
	"slices"
	"strings"
)

// Named returns the tracked files with a name, those of the folder's top first, by their paths in the folder.
func (f Folder) Named(ctx context.Context, base string) ([]string, error) {
	files, err := f.Tracked(ctx)
	same := slices.DeleteFunc(files, func(name string) bool { return path.Base(name) != base })
	slices.SortStableFunc(same, func(a, b string) int { return strings.Count(a, "/") - strings.Count(b, "/") })
	return same, err
}

// Tracked returns the tracked files, by their paths in the folder.
func (f Folder) Tracked(ctx context.Context) ([]string, error) {
	var files []string
	err := f.run(ctx, func(output io.Reader) error {
		names := bufio.NewScanner(output)
		names.Split(splitNUL)
		for names.Scan() {
			files = append(files, strings.TrimPrefix(names.Text(), strings.TrimSuffix(f.name, ".")+"/"))
		}
		return nil
	}, "ls-files", "-z", "--", f.name)
	return files, err
}
