package gitlog

import (
	"bufio"
	"context"
	"errors"
	"io"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"
)

// Grep calls visit, once at a time, for each file of the folder that may hold one of the
// words, by its path in the folder, as soon as git finds it. These are the files that hold
// one as git's index has them, and all that have changed since or that git does not know,
// ignored ones included. To read the index is much faster than to open every file of a
// large work tree. Symbolic links and other repositories are left out where git knows
// them. A file may come twice. The error is [ErrNone] if there is no git.
func (f Folder) Grep(ctx context.Context, words []string, visit func(path string)) error {
	prefix := f.name + "/"
	if f.name == "." {
		prefix = ""
	}
	var visiting sync.Mutex
	read := func(output io.Reader) error {
		fields := bufio.NewScanner(output)
		fields.Split(splitNUL)
		for fields.Scan() {
			if name, below := strings.CutPrefix(fields.Text(), prefix); below {
				visiting.Lock()
				visit(name)
				visiting.Unlock()
			}
		}
		return fields.Err()
	}
	grep := []string{
		"grep", "--cached", "-l", "-z", "-a", "-F", "--full-name", "--no-color", "--no-textconv", "--no-recurse-submodules",
	}
	for _, word := range words {
		grep = append(grep, "-e", word)
	}
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error {
		err := f.run(ctx, read, append(grep, "--", f.name)...)
		if errors.Is(err, ErrNone) && !errors.Is(err, errNoGit) {
			return nil // no file has one
		}
		return err
	})
	group.Go(func() error { return f.run(ctx, read, "ls-files", "--others", "-z", "--full-name", "--", f.name) })
	group.Go(func() error {
		return f.changed(ctx, func(name string) {
			visiting.Lock()
			visit(strings.TrimPrefix(name, prefix))
			visiting.Unlock()
		})
	})
	return group.Wait() //nolint:wrapcheck // an error of run
}
