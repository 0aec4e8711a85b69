package watch

import (
	"context"
	"crypto/sha256"
	"errors"
	"io/fs"
	"runtime"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/compound-docs/compound-docs/internal/contain"
	"github.com/compound-docs/compound-docs/internal/document"
	"github.com/compound-docs/compound-docs/internal/panics"
)

// How much is handed to the indexer at once: so much that a transaction is worth its
// cost, and so little that a stop loses little work.
const (
	batchFiles = 64
	batchBytes = 128 << 10
)

// How much of the files that have changed since the last walk is handed over at once: as much
// as a first walk has in several batches at a time. They are one transaction, since a
// database may be far away.
const (
	changesFiles = 256
	changesBytes = 512 << 10
)

// maxTouched is how many new stamps are noted at once.
const maxTouched = 1000

// concurrentBatches is the number of batches that are indexed at the same time:
// each processor parses one while others are written.
func concurrentBatches() int { return runtime.GOMAXPROCS(0) + 2 }

// progress is how much of a folder's changes has been handled.
type progress struct {
	// done of total changed files have been handled. total is final once the
	// folder has been walked.
	done, total int
	// How many documents were added, updated and removed.
	added, updated, removed int
	// failed are the files that are on disk and cannot be indexed.
	failed []document.Failure
	// changing are files that were being written while they were read, by their
	// path in the folder.
	changing []string
	// known is what the index holds, by path, and the files that it has refused.
	known map[string]document.Stamp
	// polled are symbolic links, and files with another name: a change of the target, or
	// under the other name, may be no event of the path. They are looked at every second.
	polled map[string]document.Stamp
}

// forget notes that a document was removed.
func (p *progress) forget(path string) {
	if _, known := p.known[path]; known {
		delete(p.known, path)
		p.removed++
	}
}

func (p *progress) fail(path string, err error) {
	p.failed = append(p.failed, document.Failure{Path: path, Err: err})
}

// batcher reads files and hands them to an indexer in batches. One goroutine adds
// files and then calls finish.
type batcher struct {
	folder  Folder
	root    *contain.Root
	indexer Indexer
	// ready is asked before anything is written.
	ready func() error

	mu       sync.Mutex
	progress progress
	// report is called with the progress, by one goroutine at a time.
	report func(progress)

	ctx   context.Context //nolint:containedctx // the group's, which ends with the first failure
	group *errgroup.Group

	// files are the batch that is being filled, with so many bytes. It is handed over when
	// it has maxFiles or maxBytes.
	files              []document.File
	bytes              int
	maxFiles, maxBytes int
	// gone are files to be removed from the index.
	gone []string
	// touched are the new stamps of files whose bytes have not changed.
	touched map[string]document.Stamp
}

func newBatcher(
	ctx context.Context, folder Folder, root *contain.Root, indexer Indexer, ready func() error, report func(progress),
) *batcher {
	group, groupCtx := errgroup.WithContext(ctx)
	group.SetLimit(concurrentBatches())
	return &batcher{
		folder: folder, root: root, indexer: indexer, ready: ready, report: report, ctx: groupCtx, group: group,
		progress: progress{polled: map[string]document.Stamp{}}, touched: map[string]document.Stamp{},
		maxFiles: batchFiles, maxBytes: batchBytes,
	}
}

// add reads a file and adds it to the batch, unless its bytes have the hash of the entry.
func (b *batcher) add(e entry) error {
	known := e.stamp.Hash
	content, e, err := b.folder.read(b.root, e)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		b.remove(e.path)
	case errors.Is(err, errChanged):
		b.note(func(p *progress) { p.changing = append(p.changing, e.name) })
	case err != nil:
		b.note(func(p *progress) { p.fail(e.path, err) })
		if unfit(err) {
			b.remove(e.path)
		}
	case known == sha256.Sum256(content):
		e.stamp.Hash = known
		b.touched[e.path] = e.stamp
		b.note(func(p *progress) { p.known[e.path] = e.stamp })
	default:
		b.files = append(b.files, e.file(content))
		if b.bytes += len(content); len(b.files) == b.maxFiles || b.bytes >= b.maxBytes {
			return b.flush()
		}
		return nil
	}
	b.note(func(p *progress) { p.done++ })
	if len(b.gone) == maxTouched {
		return b.flush()
	}
	if len(b.touched) == maxTouched {
		return b.touch(b.ctx)
	}
	return nil
}

func (b *batcher) remove(path string) {
	b.gone = append(b.gone, path)
	b.note(func(p *progress) { p.forget(path) })
}

// note changes the progress without a report: there may be one for every file.
func (b *batcher) note(change func(*progress)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	change(&b.progress)
}

// step changes the progress and reports it.
func (b *batcher) step(change func(*progress)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	change(&b.progress)
	b.report(b.progress)
}

// flush hands over what was added. It waits while as many batches are being
// indexed as may be.
func (b *batcher) flush() error {
	if err := b.ctx.Err(); err != nil {
		return err //nolint:wrapcheck // finish has the reason
	}
	// The files were read before this, so they are of the branch that is ready now.
	if err := b.ready(); err != nil {
		return err
	}
	if len(b.gone) > 0 {
		if err := b.indexer.Remove(b.ctx, b.gone); err != nil {
			return err
		}
		b.gone = nil
	}
	if len(b.files) == 0 {
		return nil
	}
	files := b.files
	b.files, b.bytes = nil, 0
	b.group.Go(func() error {
		return panics.Catch(func() error {
			failures, err := b.indexer.Index(b.ctx, files)
			if err == nil {
				b.indexed(files, failures)
			}
			return err
		})
	})
	return nil
}

// indexed notes the result of a batch.
func (b *batcher) indexed(files []document.File, failures []document.Failure) {
	failed := map[string]error{}
	for _, failure := range failures {
		failed[failure.Path] = failure.Err
	}
	b.step(func(p *progress) {
		p.done += len(files)
		for _, file := range files {
			_, known := p.known[file.Path]
			p.known[file.Path] = file.Stamp()
			name, _ := b.folder.nameOf(file.Path)
			switch err := failed[file.Path]; {
			case errors.Is(err, document.ErrChanged):
				p.changing = append(p.changing, name)
				p.known[file.Path] = document.Stamp{} // of an earlier version, perhaps
			case err != nil:
				p.fail(file.Path, err)
			case known:
				p.updated++
			default:
				p.added++
			}
		}
	})
}

func (b *batcher) touch(ctx context.Context) error {
	if len(b.touched) == 0 {
		return nil
	}
	if err := b.indexer.Touch(ctx, b.touched); err != nil {
		return err
	}
	clear(b.touched)
	return nil
}

// finish hands over the rest and waits for all batches. err is why not all files
// were added. What is returned is the first thing that went wrong.
func (b *batcher) finish(ctx context.Context, err error) error {
	if err == nil {
		err = b.flush()
	}
	// The batch that failed has made the others stop.
	if failed := b.group.Wait(); failed != nil {
		return failed //nolint:wrapcheck // the indexer's
	}
	if err == nil {
		err = b.touch(ctx)
	}
	if err == nil {
		b.step(func(*progress) {})
	}
	return err
}
