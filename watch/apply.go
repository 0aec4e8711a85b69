package watch

import (
	"context"
	"path"
	"slices"
)

// apply brings the index up to date with the files at the given paths.
func (m *Mirror) apply(ctx context.Context, names []string) error {
	if err := m.ready(); err != nil {
		return err
	}
	root, err := m.folder.Open()
	if err != nil {
		m.queue.addAll()
		return nil // the folder itself has changed: the walk finds out how
	}
	defer root.Close() //nolint:errcheck // a folder opened for reading has nothing to lose

	slices.Sort(names)
	paths := make([]string, len(names))
	files := newBatcher(ctx, m.folder, root, m.indexer, m.ready, func(progress) {})
	files.maxFiles, files.maxBytes = changesFiles, changesBytes
	for i, name := range names {
		paths[i] = path.Join(m.folder.Prefix, name)
		e, findErr := m.folder.find(root, name)
		m.symlinks.note(e, findErr)
		if err = files.add(e, findErr, nil); err != nil {
			break
		}
	}
	if err := files.finish(ctx, err); err != nil {
		return err
	}
	m.setFailed(ctx, files.progress.failed, paths)
	m.queue.add(files.progress.changing...)
	return nil
}
