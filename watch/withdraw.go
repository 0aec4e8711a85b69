package watch

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"slices"

	"github.com/compound-docs/compound-docs/internal/document"
)

// withdrawAfter withdraws files that could not be indexed because of err, and
// returns err, or the error that withdrawing them met. Nothing is withdrawn where
// the work was interrupted.
func (f Folder) withdrawAfter(ctx context.Context, root *os.Root, indexer Indexer, err error, names []string) error {
	if ctx.Err() != nil || errors.As(err, new(*notReadyError)) {
		return err
	}
	return cmp.Or(f.withdraw(ctx, root, indexer, names), err) //nolint:wrapcheck // the indexer's
}

// withdraw removes the former versions of files from the index, because their
// present versions cannot be indexed for now: no answer comes from a text that is
// no longer there. names are paths in the folder.
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

// withdrawQueued withdraws the files that have changed since it was last called.
// It is for the time in which nothing can be indexed.
func (m *Mirror) withdrawQueued(ctx context.Context) {
	names := m.queue.unseen()
	if len(names) == 0 || m.ready() != nil {
		return
	}
	root, err := m.folder.Open()
	if err != nil {
		return // the next walk finds out why
	}
	defer root.Close() //nolint:errcheck // a folder opened for reading has nothing to lose
	if err := m.folder.withdraw(ctx, root, m.indexer, names); err != nil && ctx.Err() == nil {
		m.logger.DebugContext(ctx, "withdraw changed files", "error", err)
	}
}
