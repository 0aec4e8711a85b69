package watch

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"slices"

	"github.com/compound-docs/compound-docs/internal/document"
)

// apply brings the index up to date with the files at the given paths.
func (m *Mirror) apply(ctx context.Context, names []string) error {
	if err := m.steady(); err != nil {
		return err
	}
	root, err := m.folder.open()
	if err != nil {
		m.queue.addAll()
		return nil // the folder itself has changed: the walk sees what became of it
	}
	defer root.Close() //nolint:errcheck // a folder opened for reading has nothing to lose

	slices.Sort(names)
	for len(names) > 0 {
		handled, err := m.applyBatch(ctx, root, names[:min(len(names), batchFiles)])
		if err != nil && (ctx.Err() != nil || errors.As(err, new(*unsteadyError))) {
			return err
		}
		if err != nil {
			return cmp.Or(m.folder.withdraw(ctx, root, m.indexer, names), err) //nolint:wrapcheck // the indexer's
		}
		names = names[handled:]
	}
	return nil
}

// applyBatch does so for as many of the files as make a batch, and returns their
// number.
func (m *Mirror) applyBatch(ctx context.Context, root *os.Root, names []string) (int, error) {
	var files []document.File
	bytes := 0
	var gone, handled []string
	var failures []document.Failure
	for _, name := range names {
		indexed := path.Join(m.folder.Prefix, name)
		handled = append(handled, indexed)
		e, err := m.folder.find(root, name)
		m.links.note(e, err)
		var content []byte
		if err == nil {
			content, e, err = read(root, e)
		}
		switch {
		case errors.Is(err, fs.ErrNotExist):
			gone = append(gone, indexed)
		case errors.Is(err, errChanged):
			m.queue.add(name)
		case err != nil:
			failures = append(failures, document.Failure{Path: indexed, Err: err})
			if unfit(err) {
				gone = append(gone, indexed)
			}
		default:
			files = append(files, e.file(content))
			bytes += len(content)
		}
		if bytes >= batchBytes {
			break
		}
	}
	// The files were read before this, so what is handed over is of that branch.
	if err := m.steady(); err != nil {
		return 0, err
	}
	if err := m.indexer.Remove(ctx, gone); err != nil {
		return 0, err
	}
	if len(files) > 0 {
		refused, err := m.indexer.Index(ctx, files)
		if err != nil {
			return 0, err
		}
		for _, failure := range refused {
			if name, ok := m.folder.nameOf(failure.Path); ok && errors.Is(failure.Err, document.ErrChanged) {
				m.queue.add(name)
			} else {
				failures = append(failures, failure)
			}
		}
	}
	m.setFailed(ctx, failures, handled)
	return len(handled), nil
}
