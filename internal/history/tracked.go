package history

import (
	"bufio"
	"context"
	"io"
	"path"
	"slices"
	"strings"
)

// Named returns the tracked files with the name base, by their paths in the folder dir. Files nearer to dir come first.
func Named(ctx context.Context, dir, base string) ([]string, error) {
	files, err := Tracked(ctx, dir)
	same := slices.DeleteFunc(files, func(name string) bool { return path.Base(name) != base })
	slices.SortStableFunc(same, func(a, b string) int { return strings.Count(a, "/") - strings.Count(b, "/") })
	return same, err
}

// Tracked returns the paths of the files that git tracks in the folder dir, relative to dir. dir is absolute. The error
// is [ErrNone] if dir is in no repository.
func Tracked(ctx context.Context, dir string) ([]string, error) {
	folder, err := Open(dir)
	if err != nil {
		return nil, err
	}
	var files []string
	err = folder.run(ctx, func(output io.Reader) error {
		names := bufio.NewScanner(output)
		names.Split(splitNUL)
		for names.Scan() {
			files = append(files, strings.TrimPrefix(names.Text(), strings.TrimSuffix(folder.name, ".")+"/"))
		}
		return nil
	}, "ls-files", "-z", "--", folder.name)
	return files, err
}
