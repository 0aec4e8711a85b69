package watch

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/compound-docs/compound-docs/rag"
)

// How much is handed to the indexer at once: enough to fill embedding requests,
// little enough that a stop loses little work.
const (
	batchFiles = 32
	batchBytes = 128 << 10
)

// Indexer is what files are handed to. Its paths are those of the index.
type Indexer interface {
	// Known returns what the index holds, by path.
	Known(ctx context.Context) (map[string]rag.Stamp, error)
	// Index puts files into the index, and says which of them cannot be.
	Index(ctx context.Context, files []rag.File) ([]rag.Failure, error)
	// Remove takes files out of the index; none is no error.
	Remove(ctx context.Context, paths []string) error
	// Touch notes a new stamp of a file whose bytes are known.
	Touch(ctx context.Context, path string, stamp rag.Stamp) error
}

// progress is how far a reconciliation has come.
type progress struct {
	// done of total changed files have been handed to the indexer. total is
	// final once the folder has been walked.
	done, total int
	// failed are the files that are on disk and cannot be indexed.
	failed []rag.Failure
	// changing are files that were being written while they were read, by their
	// path in the folder.
	changing []string
	// links are the symbolic links that were met: what each led to, by its path
	// in the folder.
	links map[string]string
}

// reconcile makes the index hold what the folder holds: one walk, files whose
// size or time moved are read, files whose bytes changed are indexed, and what
// is gone is removed. report is called from the same goroutine after every step.
// An error, of which one from steady is one, means that the work is not finished
// and can be done again.
func reconcile(
	ctx context.Context, folder Folder, indexer Indexer, steady func() error, report func(progress),
) (progress, error) {
	r := &reconciliation{
		folder: folder, indexer: indexer, steady: steady, report: report, progress: progress{links: map[string]string{}},
	}
	err := r.run(ctx)
	return r.progress, err
}

type reconciliation struct {
	folder   Folder
	indexer  Indexer
	steady   func() error
	report   func(progress)
	progress progress

	batch []rag.File
	bytes int
}

func (r *reconciliation) run(ctx context.Context) (err error) {
	known, err := r.indexer.Known(ctx)
	if err != nil {
		return err
	}
	root, err := r.folder.open()
	if errors.Is(err, fs.ErrNotExist) && r.folder.MayBeMissing {
		return r.removeGone(ctx, known)
	}
	if err != nil {
		return fmt.Errorf("open folder: %w", err)
	}
	defer root.Close() //nolint:errcheck // a folder opened for reading has nothing to lose

	moved, err := r.compare(ctx, root, known)
	if err != nil {
		return fmt.Errorf("walk folder: %w", err)
	}
	if err := r.removeGone(ctx, known); err != nil {
		return err
	}
	r.progress.total = len(moved)
	r.report(r.progress)
	for _, file := range moved {
		if err := r.take(ctx, root, file); err != nil {
			return err
		}
	}
	return r.flush(ctx)
}

// movedFile is a file that is new, or whose stamp differs from the index's.
type movedFile struct {
	entry

	stamp rag.Stamp
	isNew bool
}

// compare walks the folder, and leaves in known what it did not find there.
func (r *reconciliation) compare(
	ctx context.Context, root *os.Root, known map[string]rag.Stamp,
) (moved []movedFile, err error) {
	err = r.folder.walk(ctx, root, func(e entry) {
		if e.linked {
			r.progress.links[e.name] = e.state(nil)
		}
		stamp, ok := known[e.path]
		if !ok || !stamp.Same(e.size, e.modTime) {
			moved = append(moved, movedFile{entry: e, stamp: stamp, isNew: !ok})
		}
		delete(known, e.path)
	}, func(e entry, err error) {
		r.fail(e.path, err)
		if e.linked {
			r.progress.links[e.name] = e.state(err)
		}
		if unfit(err) {
			return
		}
		// What the index has of a file that cannot be looked at stays, and of all
		// that is in such a folder.
		delete(known, e.path)
		maps.DeleteFunc(known, func(path string, _ rag.Stamp) bool { return strings.HasPrefix(path, e.path+"/") })
	})
	return moved, err
}

// take reads a file and lines it up if its bytes changed too.
func (r *reconciliation) take(ctx context.Context, root *os.Root, file movedFile) error {
	content, e, err := read(root, file.entry)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		r.progress.done++
		return r.indexer.Remove(ctx, []string{e.path})
	case errors.Is(err, errChanged):
		r.progress.done++
		r.progress.changing = append(r.progress.changing, e.name)
		return nil
	case unfit(err):
		r.progress.done++
		r.fail(e.path, err)
		return r.indexer.Remove(ctx, []string{e.path})
	case err != nil:
		r.progress.done++
		r.fail(e.path, err)
		return nil
	case !file.isNew && file.stamp.Size >= 0 && file.stamp.Hash == sha256.Sum256(content):
		r.progress.done++
		return r.indexer.Touch(ctx, e.path, rag.Stamp{Size: e.size, ModTime: e.modTime, Hash: file.stamp.Hash})
	}
	r.batch = append(r.batch, e.file(content))
	r.bytes += len(content)
	if len(r.batch) < batchFiles && r.bytes < batchBytes {
		return nil
	}
	return r.flush(ctx)
}

func (r *reconciliation) flush(ctx context.Context) error {
	if len(r.batch) == 0 {
		return nil
	}
	// The files were read before this, so what is handed over is of that branch.
	if err := r.steady(); err != nil {
		return err
	}
	failures, err := r.indexer.Index(ctx, r.batch)
	if err != nil {
		return err
	}
	r.progress.failed = append(r.progress.failed, failures...)
	r.progress.done += len(r.batch)
	r.batch, r.bytes = nil, 0
	r.report(r.progress)
	return nil
}

func (r *reconciliation) removeGone(ctx context.Context, gone map[string]rag.Stamp) error {
	if err := r.steady(); err != nil {
		return err
	}
	return r.indexer.Remove(ctx, slices.Collect(maps.Keys(gone)))
}

func (r *reconciliation) fail(path string, err error) {
	r.progress.failed = append(r.progress.failed, rag.Failure{Path: path, Err: err})
}
