package watch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/compound-docs/compound-docs/internal/contain"
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

// reconcile makes the index hold what the folder holds. It walks the folder,
// reads the files whose stamps do not prove them unchanged, indexes those whose
// bytes changed, and removes what is gone. report is called, by one goroutine at
// a time, after every step. before is what the last reconciliation returned, or has
// what the index says that it holds alone. Files with the names given are taken for
// changed: others may have written to the index. After an error, which may be that
// of ready, the work is not finished and can be done again.
func reconcile(
	ctx context.Context, folder Folder, indexer Indexer, before progress, names map[string]struct{},
	ready func() error, report func(progress),
) (progress, error) {
	known := before.known
	remove := func(gone []string) error {
		if err := ready(); err != nil {
			return err
		}
		return indexer.Remove(ctx, gone)
	}
	root, err := folder.Open()
	if errors.Is(err, fs.ErrNotExist) && folder.MayBeMissing {
		return progress{removed: len(known)}, remove(slices.Collect(maps.Keys(known)))
	}
	if err != nil {
		return progress{}, fmt.Errorf("open folder: %w", err)
	}
	defer root.Close() //nolint:errcheck // a folder opened for reading has nothing to lose

	files := newBatcher(ctx, folder, root, indexer, ready, report)
	if files.progress.known = known; names != nil {
		files.maxFiles, files.maxBytes = changesFiles, changesBytes
	}
	changed, gone, err := files.compare(ctx, before.failed, names)
	if err != nil {
		return progress{}, fmt.Errorf("walk folder: %w", err)
	}
	if err := remove(gone); err != nil {
		return progress{}, err
	}
	files.step(func(p *progress) {
		p.total = len(changed)
		for _, indexed := range gone {
			p.forget(indexed)
		}
	})
	for _, e := range changed {
		if err = files.add(e); err != nil {
			break
		}
	}
	if err = files.finish(ctx, err); err != nil {
		return progress{}, err
	}
	return files.progress, nil
}

// maxPolled bounds the hard links that are polled: every second costs a stat of each, and
// there are folders in which all files have several names.
const maxPolled = 1000

// compare walks the folder. gone are the paths that the index knows, or that the names stand
// for, without a file. A file that has failed before and has not changed since fails again.
func (b *batcher) compare(ctx context.Context, before []document.Failure, names map[string]struct{}) (
	changed []entry, gone []string, err error,
) {
	known, shut := b.progress.known, []string{}
	met := make(map[string]struct{}, len(known))
	failed := map[string]error{}
	for _, failure := range before {
		failed[failure.Path] = failure.Err
	}
	err = b.folder.walk(ctx, b.root, visitor{found: func(e entry) {
		if e.linked || e.shared && len(b.progress.polled) < maxPolled {
			b.progress.polled[e.path] = e.stamp
		}
		stamp, isKnown := known[e.path]
		reason, hasFailed := failed[e.path]
		_, isNamed := names[e.name]
		switch {
		case !isKnown || isNamed || !stamp.Proves(e.stamp):
			if !isNamed && !hasFailed {
				e.stamp.Hash = stamp.Hash
			}
			changed = append(changed, e)
		case hasFailed:
			b.progress.fail(e.path, reason)
		}
		met[e.path] = struct{}{}
	}, skipped: func(e entry, err error) {
		b.progress.fail(e.path, err)
		if unfit(err) {
			return
		}
		// The index keeps a file that cannot be looked at, and everything in a
		// folder that cannot be.
		met[e.path] = struct{}{}
		shut = append(shut, e.path+"/")
	}})
	look := func(indexed string) {
		_, isMet := met[indexed]
		if !isMet && !slices.ContainsFunc(shut, func(folder string) bool { return strings.HasPrefix(indexed, folder) }) {
			gone = append(gone, indexed)
		}
	}
	for indexed := range known {
		look(indexed)
	}
	for name := range names {
		look(path.Join(b.folder.Prefix, name))
	}
	return changed, gone, err
}

// SyncResult counts the documents of a [Sync].
type SyncResult struct {
	Added, Updated, Removed, Unchanged int
	// Failed are the files on disk that could not be indexed, by path.
	Failed []document.Failure
}

// Documents is how many of the folder's files the index holds.
func (s SyncResult) Documents() int { return s.Added + s.Updated + s.Unchanged }

// Sync makes the index hold what the folder holds, once. Documents whose paths
// do not begin with the folder's prefix are left alone. report, if not nil, is
// called with the number of changed files that have been handled, and of all.
// After an error the work is not finished; another Sync continues it.
func Sync(ctx context.Context, folder Folder, indexer Indexer, report func(done, total int)) (SyncResult, error) {
	known, err := indexer.Known(ctx)
	if err != nil {
		return SyncResult{}, fmt.Errorf("sync %s: %w", folder.Dir, err)
	}
	maps.DeleteFunc(known, func(indexed string, _ document.Stamp) bool { _, ok := folder.nameOf(indexed); return !ok })
	ready := func() error { return nil }
	walked, err := reconcile(ctx, folder, indexer, progress{known: known}, nil, ready, func(p progress) {
		if report != nil {
			report(p.done, p.total)
		}
	})
	if err != nil {
		return SyncResult{}, fmt.Errorf("sync %s: %w", folder.Dir, err)
	}
	result := SyncResult{Added: walked.added, Updated: walked.updated, Removed: walked.removed, Failed: walked.failed}
	for _, name := range walked.changing {
		result.Failed = append(result.Failed, document.Failure{Path: path.Join(folder.Prefix, name), Err: errChanged})
	}
	for _, failure := range result.Failed {
		delete(walked.known, failure.Path)
	}
	result.Unchanged = len(walked.known) - result.Added - result.Updated
	slices.SortFunc(result.Failed, func(a, b document.Failure) int { return cmp.Compare(a.Path, b.Path) })
	return result, nil
}

// Holds reports whether the folder has a file that matches, readable or not, or a
// folder that cannot be looked into.
func (f Folder) Holds(ctx context.Context) (found bool, err error) {
	f.MayBeMissing = false
	err = f.open(func(root *contain.Root) error {
		return f.walk(ctx, root, visitor{found: func(entry) { found = true }, skipped: func(entry, error) { found = true }})
	})
	return found, err
}
