package watch

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"path"
	"slices"

	"github.com/compound-docs/compound-docs/internal/document"
)

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
	root, err := f.Open()
	if err != nil {
		return false, fmt.Errorf("open folder: %w", err)
	}
	defer root.Close() //nolint:errcheck // a folder opened for reading has nothing to lose
	err = f.walk(ctx, root, visitor{found: func(entry) { found = true }, skipped: func(entry, error) { found = true }})
	return found, err
}
