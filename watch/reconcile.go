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
	"sync"

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

// outcome is what a walk has found in a folder, and done.
type outcome struct {
	// known is what the index holds, by path, and the files that it has refused.
	known map[string]document.Stamp
	// failed are the files that are on disk and cannot be indexed.
	failed []document.Failure
	// changing are files that were being written while they were read, by their path in the
	// index.
	changing []string
	// state is the sum of the files that the walk met. folders are the top folder and those with
	// files somewhere below, by their paths in the folder.
	state   uint64
	folders map[string]document.Stamp
	// How many documents were added, updated and removed.
	added, updated, removed int
}

func (o *outcome) fail(path string, err error) {
	o.failed = append(o.failed, document.Failure{Path: path, Err: err})
}

func errorsByPath(failures []document.Failure) map[string]error {
	failed := make(map[string]error, len(failures))
	for _, failure := range failures {
		failed[failure.Path] = failure.Err
	}
	return failed
}

// reconciler makes an index hold what a folder holds, once. Without an indexer it only looks.
type reconciler struct {
	folder  Folder
	root    *contain.Root
	indexer Indexer
	// before is the outcome of the last walk. whole is set if it is not that, but has alone
	// what the index says that it holds.
	before outcome
	whole  bool
	// ready is asked before anything is written.
	ready func() error
	// report is called with the number of changed files that have been handled, and of all,
	// by one goroutine at a time.
	report func(done, total int)

	mu sync.Mutex
	outcome
	done, total int
	// gone are files to be removed from the index, and touched those whose bytes have not
	// changed, with their new stamps.
	gone    []string
	touched []entry
}

// run walks the folder, reads the files whose stamps do not prove them unchanged, indexes
// those whose bytes changed, and removes what is gone. After an error, which may be that of
// ready, the work is not finished and can be done again.
func (r *reconciler) run(ctx context.Context) (outcome, error) {
	r.known = r.before.known
	root, err := r.folder.Open()
	if errors.Is(err, fs.ErrNotExist) && r.folder.MayBeMissing {
		r.gone = slices.Collect(maps.Keys(r.known))
		return outcome{removed: len(r.gone)}, r.remove(ctx)
	}
	if err != nil {
		return outcome{}, fmt.Errorf("open folder: %w", err)
	}
	defer root.Close() //nolint:errcheck // a folder opened for reading has nothing to lose
	r.root = root
	changed, err := r.compare(ctx)
	if err != nil {
		return outcome{}, fmt.Errorf("walk folder: %w", err)
	}
	if r.indexer == nil {
		return r.outcome, nil
	}
	if err := r.remove(ctx); err != nil {
		return outcome{}, err
	}
	r.total = len(changed)
	r.report(0, r.total)
	if r.whole {
		err = r.indexAll(ctx, changed, batchFiles, batchBytes)
	} else {
		err = r.indexAll(ctx, changed, changesFiles, changesBytes)
	}
	if err == nil && len(r.gone) > 0 { // since the walk
		err = r.remove(ctx)
	}
	if err == nil {
		err = r.touch(ctx)
	}
	if err != nil {
		return outcome{}, err
	}
	return r.outcome, nil
}

// remove takes what is gone out of the index.
func (r *reconciler) remove(ctx context.Context) error {
	err := r.ready()
	if err == nil && len(r.gone) > 0 {
		err = r.indexer.Remove(ctx, r.gone)
	}
	for _, indexed := range r.gone {
		if _, known := r.known[indexed]; known {
			delete(r.known, indexed)
			r.removed++
		}
	}
	r.gone = nil
	return err
}

// maxTouched is how many new stamps are noted at once.
const maxTouched = 1000

func (r *reconciler) touch(ctx context.Context) error {
	for entries := range slices.Chunk(r.touched, maxTouched) {
		stamps := make(map[string]document.Stamp, len(entries))
		for _, e := range entries {
			stamps[e.path] = e.stamp
		}
		if err := r.indexer.Touch(ctx, stamps); err != nil {
			return err
		}
	}
	return nil
}

// compare walks the folder. It notes as gone the paths that the index knows without a file. A
// file that has failed before and has not changed since fails again.
func (r *reconciler) compare(ctx context.Context) (changed []entry, err error) {
	seen := make(map[string]struct{}, len(r.known))
	unreadable := []string{}
	r.folders = map[string]document.Stamp{}
	folders := map[string]document.Stamp{}
	failed := errorsByPath(r.before.failed)
	err = r.folder.walk(ctx, r.root, func(e entry, err error) {
		if !e.folder {
			r.state += e.sum()
			for dir := path.Dir(e.name); r.folders[dir].Inode == 0 && dir != "."; dir = path.Dir(dir) {
				r.folders[dir] = folders[dir]
			}
		}
		switch {
		case err != nil:
			r.fail(e.path, err)
			if !unfit(err) { // the index keeps it, and everything in a folder
				seen[e.path] = struct{}{}
				unreadable = append(unreadable, e.path+"/")
			}
			return
		case e.folder:
			folders[e.name] = e.stamp
			r.folders["."] = folders["."]
			return
		}
		seen[e.path] = struct{}{}
		stamp, isKnown := r.known[e.path]
		reason, hasFailed := failed[e.path]
		switch {
		case !isKnown || !stamp.Proves(e.stamp):
			// Others may have written to the index since the last walk: only a file that was not
			// written since may still be what it was.
			if !hasFailed && (r.whole || stamp.SameModTime(e.stamp)) {
				e.stamp.Hash = stamp.Hash
			}
			changed = append(changed, e)
		case hasFailed:
			r.fail(e.path, reason)
		}
	})
	for indexed := range r.known {
		_, isSeen := seen[indexed]
		if !isSeen && !slices.ContainsFunc(unreadable, func(folder string) bool { return strings.HasPrefix(indexed, folder) }) {
			r.gone = append(r.gone, indexed)
		}
	}
	return changed, err
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
// do not begin with the folder's prefix are left alone. ready, if not nil, is as in [Config].
// report, if not nil, is called with the number of changed files that have been handled, and of
// all. After an error the work is not finished; another Sync continues it.
func Sync(
	ctx context.Context, folder Folder, indexer Indexer, ready func() error, report func(done, total int),
) (SyncResult, error) {
	known, err := indexer.Known(ctx)
	if err != nil {
		return SyncResult{}, fmt.Errorf("sync %s: %w", folder.Dir, err)
	}
	maps.DeleteFunc(known, func(indexed string, _ document.Stamp) bool { _, ok := folder.Name(indexed); return !ok })
	sync := &reconciler{folder: folder, indexer: indexer, before: outcome{known: known}, whole: true, ready: ready, report: report}
	if ready == nil {
		sync.ready = func() error { return nil }
	}
	if report == nil {
		sync.report = func(int, int) {}
	}
	walked, err := sync.run(ctx)
	if err != nil {
		return SyncResult{}, fmt.Errorf("sync %s: %w", folder.Dir, err)
	}
	result := SyncResult{Added: walked.added, Updated: walked.updated, Removed: walked.removed, Failed: walked.failed}
	for _, indexed := range walked.changing {
		result.Failed = append(result.Failed, document.Failure{Path: indexed, Err: errChanged})
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
		return f.walk(ctx, root, func(e entry, err error) { found = found || err != nil || !e.folder })
	})
	return found, err
}
