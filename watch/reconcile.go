package watch

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/compound-docs/compound-docs/internal/document"
)

// maxTouched is how many new stamps are noted at once.
const maxTouched = 1000

// Indexer is what files are handed to. Its paths are those of the index. It is
// called by several goroutines at once.
type Indexer interface {
	// Known returns what the index holds, by path.
	Known(ctx context.Context) (map[string]document.Stamp, error)
	// Index puts files into the index, and says which of them cannot be.
	Index(ctx context.Context, files []document.File) ([]document.Failure, error)
	// Remove takes files out of the index; none is no error.
	Remove(ctx context.Context, paths []string) error
	// Withdraw takes files out of the index that it holds with other bytes than
	// those of the stamps, by path.
	Withdraw(ctx context.Context, stamps map[string]document.Stamp) error
	// Touch notes new stamps, by path, of files whose bytes are known.
	Touch(ctx context.Context, stamps map[string]document.Stamp) error
}

// progress is how far a reconciliation has come.
type progress struct {
	// done of total changed files have been handed to the indexer. total is
	// final once the folder has been walked.
	done, total int
	// failed are the files that are on disk and cannot be indexed.
	failed []document.Failure
	// changing are files that were being written while they were read, by their
	// path in the folder.
	changing []string
	// links are the symbolic links that were met: what each led to, by its path
	// in the folder.
	links map[string]string
}

// reconcile makes the index hold what the folder holds: one walk, files whose
// stamp does not prove them unchanged are read, files whose bytes changed are indexed, and what
// is gone is removed. report is called, by one goroutine at a time, after every
// step. An error, of which one from steady is one, means that the work is not
// finished and can be done again.
func reconcile(
	ctx context.Context, folder Folder, indexer Indexer, steady func() error, report func(progress),
) (progress, error) {
	r := &reconciliation{
		folder: folder, indexer: indexer, steady: steady, report: report,
		progress: progress{links: map[string]string{}}, touched: map[string]document.Stamp{},
	}
	err := r.run(ctx)
	return r.progress, err
}

type reconciliation struct {
	folder  Folder
	indexer Indexer
	steady  func() error
	report  func(progress)

	mu       sync.Mutex
	progress progress

	// touched are the files that were read for nothing.
	touched map[string]document.Stamp
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
	r.step(func(p *progress) { p.total = len(moved) })
	return r.index(ctx, root, moved)
}

// index reads the files, and hands those over whose bytes changed too.
func (r *reconciliation) index(ctx context.Context, root *os.Root, moved []movedFile) error {
	batches := newBatches(ctx, r.indexer, r.handed)
	err := r.read(ctx, root, moved, batches)
	if err == nil {
		err = r.flush(batches)
	}
	// What made the others stop comes first.
	if waited := batches.wait(); waited != nil {
		err = waited
	}
	switch {
	case err == nil:
		return r.touch(ctx)
	case ctx.Err() != nil, errors.As(err, new(*unsteadyError)):
		return err
	}
	// The files that are new have no earlier version.
	names := []string{}
	for _, file := range moved {
		if !file.isNew {
			names = append(names, file.name)
		}
	}
	return cmp.Or(r.folder.withdraw(ctx, root, r.indexer, names), err) //nolint:wrapcheck // the indexer's
}

// handed notes what became of a batch.
func (r *reconciliation) handed(files int, failures []document.Failure) {
	r.step(func(p *progress) {
		p.done += files
		for _, failure := range failures {
			if name, ok := r.folder.nameOf(failure.Path); ok && errors.Is(failure.Err, document.ErrChanged) {
				p.changing = append(p.changing, name)
			} else {
				p.failed = append(p.failed, failure)
			}
		}
	})
}

func (r *reconciliation) read(ctx context.Context, root *os.Root, moved []movedFile, batches *batches) error {
	for _, file := range moved {
		if err := r.take(ctx, root, file, batches); err != nil {
			return err
		}
	}
	return nil
}

// step notes progress and reports it.
func (r *reconciliation) step(f func(p *progress)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	f(&r.progress)
	r.report(r.progress)
}

// movedFile is a file that is new, or whose stamp differs from the index's.
type movedFile struct {
	entry

	known document.Stamp
	isNew bool
}

// compare walks the folder, and leaves in known what it did not find there.
func (r *reconciliation) compare(
	ctx context.Context, root *os.Root, known map[string]document.Stamp,
) (moved []movedFile, err error) {
	err = r.folder.walk(ctx, root, func(e entry) {
		if e.linked {
			r.progress.links[e.name] = e.state(nil)
		}
		stamp, ok := known[e.path]
		if !ok || !stamp.Proves(e.stamp) {
			moved = append(moved, movedFile{entry: e, known: stamp, isNew: !ok})
		}
		delete(known, e.path)
	}, func(e entry, err error) {
		r.progress.fail(e.path, err)
		if e.linked {
			r.progress.links[e.name] = e.state(err)
		}
		if unfit(err) {
			return
		}
		// What the index has of a file that cannot be looked at stays, and of all
		// that is in such a folder.
		delete(known, e.path)
		maps.DeleteFunc(known, func(path string, _ document.Stamp) bool { return strings.HasPrefix(path, e.path+"/") })
	})
	return moved, err
}

// take reads a file, and adds it to the batches if its bytes changed.
func (r *reconciliation) take(ctx context.Context, root *os.Root, file movedFile, batches *batches) error {
	content, e, err := read(root, file.entry)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		r.pass(func(*progress) {})
		return r.indexer.Remove(ctx, []string{e.path})
	case errors.Is(err, errChanged):
		r.pass(func(p *progress) { p.changing = append(p.changing, e.name) })
	case unfit(err):
		r.pass(func(p *progress) { p.fail(e.path, err) })
		return r.indexer.Remove(ctx, []string{e.path})
	case err != nil:
		r.pass(func(p *progress) { p.fail(e.path, err) })
	case !file.isNew && file.known.Size >= 0 && file.known.Hash == sha256.Sum256(content):
		r.pass(func(*progress) {})
		touched := e.stamp
		touched.Hash = file.known.Hash
		r.touched[e.path] = touched
		if len(r.touched) == maxTouched {
			return r.touch(ctx)
		}
	case batches.add(e.file(content)):
		return r.flush(batches)
	}
	return nil
}

// pass notes that a file is done with.
func (r *reconciliation) pass(f func(p *progress)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.progress.done++
	f(&r.progress)
}

// flush hands a batch over.
func (r *reconciliation) flush(batches *batches) error {
	// The files were read before this, so what is handed over is of that branch.
	if err := r.steady(); err != nil {
		return err
	}
	return batches.flush()
}

func (r *reconciliation) touch(ctx context.Context) error {
	if len(r.touched) == 0 {
		return nil
	}
	if err := r.indexer.Touch(ctx, r.touched); err != nil {
		return err
	}
	clear(r.touched)
	return nil
}

func (r *reconciliation) removeGone(ctx context.Context, gone map[string]document.Stamp) error {
	if err := r.steady(); err != nil {
		return err
	}
	return r.indexer.Remove(ctx, slices.Collect(maps.Keys(gone)))
}

func (p *progress) fail(path string, err error) {
	p.failed = append(p.failed, document.Failure{Path: path, Err: err})
}
