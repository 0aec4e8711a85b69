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

	"golang.org/x/sync/errgroup"

	"github.com/compound-docs/compound-docs/internal/contain"
	"github.com/compound-docs/compound-docs/internal/document"
	"github.com/compound-docs/compound-docs/internal/panics"
)

// Indexer is the index to which a folder is mirrored. All paths are paths in the index. It must be safe for
// concurrent use.
type Indexer interface {
	// Known returns the stamps of the indexed files, by path.
	Known(ctx context.Context) (map[string]document.Stamp, error)
	// Index puts files into the index. It returns a failure for each file that cannot be indexed.
	Index(ctx context.Context, files []document.File) ([]document.Failure, error)
	// Remove takes files out of the index. A path that the index lacks is no error.
	Remove(ctx context.Context, paths []string) error
	// Touch replaces the stamps of files whose bytes have not changed. stamps has the new stamps, by path.
	Touch(ctx context.Context, stamps map[string]document.Stamp) error
}

// outcome is the result of a walk.
type outcome struct {
	known    map[string]document.Stamp // files that the index holds or has refused, by path
	failed   []document.Failure        // files that cannot be indexed
	changing []string                  // paths of files that were being written when they were read
	state    uint64                    // the total of entry.sum for all files
	folders  map[string]document.Stamp // the top folder, and each folder with a file somewhere below

	added, updated, removed int // documents
	leftOut                 int // files that are not documents
}

func (o *outcome) fail(path string, err error) {
	o.failed = append(o.failed, document.Failure{Path: path, Err: err})
}

// addFoldersOf adds the folders in which a file is, without the top folder, to o.folders.
func (o *outcome) addFoldersOf(file string, stamps map[string]document.Stamp) {
	for dir := path.Dir(file); dir != "."; dir = path.Dir(dir) {
		if _, isNoted := o.folders[dir]; isNoted {
			return // the folders above dir are there too
		}
		o.folders[dir] = stamps[dir]
	}
}

func errorsByPath(failures []document.Failure) map[string]error {
	failed := make(map[string]error, len(failures))
	for _, failure := range failures {
		failed[failure.Path] = failure.Err
	}
	return failed
}

// reconciler makes an index equal to a folder in one walk. Without an indexer it only looks at the folder.
type reconciler struct {
	folder  Folder
	root    *contain.Root
	indexer Indexer
	// indexed returns the stamps for the field known. A whole walk gets the stamps from the index, and any other walk from
	// the last walk. indexed runs during the walk.
	indexed func(ctx context.Context) (map[string]document.Stamp, error)
	whole   bool
	failing map[string]error      // why files failed at the last walk, by path
	ready   func() error          // asked before every write
	report  func(done, total int) // gets the number of handled changed files and of all, from one goroutine at a time
	enter   func(folder string)   // called before a folder is read

	mu sync.Mutex
	outcome
	done, total int
	gone        []string                  // paths to remove from the index
	touched     map[string]document.Stamp // new stamps of files with the same bytes, by path
}

// run walks the folder. It reads files whose stamps do not prove them unchanged, indexes files with new bytes, and
// removes missing files from the index. After an error the caller can call run again.
func (r *reconciler) run(ctx context.Context) (outcome, error) {
	r.touched = map[string]document.Stamp{}
	root, err := r.folder.Open()
	if errors.Is(err, fs.ErrNotExist) && r.folder.MayBeMissing {
		r.known, err = r.indexed(ctx)
		if err != nil {
			return outcome{}, err
		}
		r.gone = slices.Collect(maps.Keys(r.known))
		return outcome{removed: len(r.gone)}, r.remove(ctx)
	}
	if err != nil {
		return outcome{}, fmt.Errorf("open folder: %w", err)
	}
	defer root.Close() //nolint:errcheck // a folder opened for reading has nothing to lose
	r.root = root
	entries, err := r.look(ctx)
	if err != nil {
		return outcome{}, err
	}
	changed := r.compare(entries)
	if r.indexer == nil {
		return r.outcome, nil
	}
	if err := r.remove(ctx); err != nil {
		return outcome{}, err
	}
	r.total = len(changed)
	r.report(0, r.total)
	if err := r.indexAll(ctx, changed); err != nil {
		return outcome{}, err
	}
	if err := r.remove(ctx); err != nil { // files that disappeared since the walk
		return outcome{}, err
	}
	if len(r.touched) > 0 {
		if err := r.indexer.Touch(ctx, r.touched); err != nil {
			return outcome{}, err
		}
	}
	return r.outcome, nil
}

// remove takes the files in gone out of the index. Even if gone is empty, it asks ready whether the branch is still the
// branch of the walk.
func (r *reconciler) remove(ctx context.Context) error {
	if err := r.ready(); err != nil || len(r.gone) == 0 {
		return err
	}
	if err := r.indexer.Remove(ctx, r.gone); err != nil {
		return err
	}
	for _, indexed := range r.gone {
		if _, known := r.known[indexed]; known {
			delete(r.known, indexed)
			r.removed++
		}
	}
	r.gone = nil
	return nil
}

// look walks the folder. At the same time it sets the field known with the function indexed.
func (r *reconciler) look(ctx context.Context) (entries []entry, err error) {
	group, inGroup := errgroup.WithContext(ctx)
	group.Go(func() error {
		return panics.Catch(func() (err error) {
			r.known, err = r.indexed(inGroup)
			return err
		})
	})
	err = r.folder.walk(inGroup, r.root, func(e entry) {
		isReadable := e.err == nil
		if e.folder && isReadable {
			r.enter(e.name)
		}
		entries = append(entries, e)
	})
	if err := group.Wait(); err != nil {
		return nil, err //nolint:wrapcheck // the indexer's
	}
	if err != nil {
		return nil, fmt.Errorf("walk folder: %w", err)
	}
	return entries, nil
}

// compare returns the changed files of a walk, and adds the paths of missing files to r.gone. If a file failed
// at the last walk and is still the same, it fails again.
func (r *reconciler) compare(entries []entry) []entry {
	var changed []entry
	seen := make(map[string]struct{}, len(entries))
	unreadable := []string{}
	r.folders = map[string]document.Stamp{}
	stamps := map[string]document.Stamp{} // of all folders so far; the walk visits a folder before its files
	for _, e := range entries {
		if !e.folder {
			r.state += e.sum()
			r.addFoldersOf(e.name, stamps)
		}
		if e.err != nil {
			r.fail(e.path, e.err)
			if !unfit(e.err) { // the index keeps the file, or everything in the folder
				seen[e.path] = struct{}{}
				unreadable = append(unreadable, e.path+"/")
			}
			continue
		}
		if e.folder {
			stamps[e.name] = e.stamp
			continue
		}
		seen[e.path] = struct{}{}
		stamp, isKnown := r.known[e.path]
		reason, hasFailed := r.failing[e.path]
		switch {
		case !isKnown || !stamp.Proves(e.stamp):
			// Another process may have indexed another version since the last walk. So the old hash counts only if nobody has
			// written to the file since then.
			if !hasFailed && (r.whole || stamp.SameModTime(e.stamp)) {
				e.stamp.Hash = stamp.Hash
			}
			changed = append(changed, e)
		case hasFailed:
			r.fail(e.path, reason)
		}
	}
	r.folders["."] = stamps["."]
	for indexed := range r.known {
		_, isSeen := seen[indexed]
		if !isSeen && !slices.ContainsFunc(unreadable, func(folder string) bool { return strings.HasPrefix(indexed, folder) }) {
			r.gone = append(r.gone, indexed)
		}
	}
	return changed
}

// SyncResult counts the documents of a [Sync].
type SyncResult struct {
	Added, Updated, Removed, Unchanged int
	// Failed are the files on disk that could not be indexed, sorted by path.
	Failed []document.Failure
}

// Sync makes the index equal to the folder, once. Documents with another prefix stay as they are. ready works like
// [Config.Ready]. report gets the number of handled files and of all changed files. After an error another Sync
// continues the work.
func Sync(
	ctx context.Context, folder Folder, indexer Indexer, ready func() error, report func(done, total int),
) (SyncResult, error) {
	once := &reconciler{
		folder: folder, indexer: indexer, whole: true, ready: ready, report: report, enter: func(string) {},
		indexed: func(ctx context.Context) (map[string]document.Stamp, error) {
			known, err := indexer.Known(ctx)
			maps.DeleteFunc(known, func(indexed string, _ document.Stamp) bool { _, ok := folder.Name(indexed); return !ok })
			return known, err
		},
	}
	walked, err := once.run(ctx)
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
	result.Unchanged = len(walked.known) - walked.leftOut - result.Added - result.Updated
	slices.SortFunc(result.Failed, func(a, b document.Failure) int { return cmp.Compare(a.Path, b.Path) })
	return result, nil
}

// Holds reports whether the folder has a matching file or a folder that cannot be read.
func (f Folder) Holds(ctx context.Context) (bool, error) {
	found := false
	err := f.open(func(root *contain.Root) error {
		return f.walk(ctx, root, func(e entry) { found = found || e.err != nil || !e.folder })
	})
	return found, err
}
