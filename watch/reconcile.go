package watch

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/compound-docs/compound-docs/internal/document"
)

// Indexer is the index that a folder is mirrored to. Its paths are those of the
// index. Several goroutines call it at once.
type Indexer interface {
	// Known returns what the index holds, by path.
	Known(ctx context.Context) (map[string]document.Stamp, error)
	// Index puts files into the index, and says which of them cannot be indexed.
	Index(ctx context.Context, files []document.File) ([]document.Failure, error)
	// Remove takes files out of the index. A path that is not in it is no error.
	Remove(ctx context.Context, paths []string) error
	// Touch notes new stamps, by path, of files whose bytes are known.
	Touch(ctx context.Context, stamps map[string]document.Stamp) error
}

// changedFile is a file that is new, or whose stamp differs from the index's.
type changedFile struct {
	entry

	// known is the hash that the index has of an earlier version.
	known document.Hash
	isNew bool
}

// reconcile makes the index hold what the folder holds. It walks the folder,
// reads the files whose stamps do not prove them unchanged, indexes those whose
// bytes changed, and removes what is gone. report is called, by one goroutine at
// a time, after every step. After an error, which may be that of ready, the work
// is not finished and can be done again.
func reconcile(
	ctx context.Context, folder Folder, indexer Indexer, ready func() error, report func(progress),
) (progress, error) {
	known, err := indexer.Known(ctx)
	if err != nil {
		return progress{}, err
	}
	removeGone := func() error {
		if err := ready(); err != nil {
			return err
		}
		return indexer.Remove(ctx, slices.Collect(maps.Keys(known)))
	}
	root, err := folder.Open()
	if errors.Is(err, fs.ErrNotExist) && folder.MayBeMissing {
		return progress{}, removeGone()
	}
	if err != nil {
		return progress{}, fmt.Errorf("open folder: %w", err)
	}
	defer root.Close() //nolint:errcheck // a folder opened for reading has nothing to lose

	files := newBatcher(ctx, folder, root, indexer, ready, report)
	changed, err := files.compare(ctx, known)
	if err != nil {
		return progress{}, fmt.Errorf("walk folder: %w", err)
	}
	if err := removeGone(); err != nil {
		return progress{}, err
	}
	files.step(func(p *progress) { p.total = len(changed) })
	for _, file := range changed {
		earlier := &file.known
		if file.isNew {
			earlier = nil
		}
		if err = files.add(file.entry, nil, earlier); err != nil {
			break
		}
	}
	err = files.finish(ctx, err)
	return files.progress, err
}

// compare walks the folder, and leaves in known what it did not find there.
func (b *batcher) compare(ctx context.Context, known map[string]document.Stamp) (changed []changedFile, err error) {
	err = b.folder.walk(ctx, b.root, visitor{found: func(e entry) {
		if e.polledBeside(len(b.progress.symlinks)) {
			b.progress.symlinks[e.name] = e.state(nil)
		}
		stamp, ok := known[e.path]
		if !ok || !stamp.Proves(e.stat.stamp()) {
			changed = append(changed, changedFile{entry: e, known: stamp.Hash, isNew: !ok})
		}
		delete(known, e.path)
	}, skipped: func(e entry, err error) {
		b.progress.fail(e.path, err)
		if e.polledBeside(len(b.progress.symlinks)) {
			b.progress.symlinks[e.name] = e.state(err)
		}
		if unfit(err) {
			return
		}
		// The index keeps a file that cannot be looked at, and everything in a
		// folder that cannot be.
		delete(known, e.path)
		maps.DeleteFunc(known, func(path string, _ document.Stamp) bool { return strings.HasPrefix(path, e.path+"/") })
	}})
	return changed, err
}
