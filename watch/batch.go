package watch

import (
	"context"
	"crypto/sha256"
	"errors"
	"io/fs"
	"runtime"

	"golang.org/x/sync/errgroup"

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

// concurrentBatches is the number of batches that are indexed at the same time:
// each processor parses one while others are written.
func concurrentBatches() int { return runtime.GOMAXPROCS(0) + 2 }

// indexAll reads files and hands them to the indexer, in batches of so many files or bytes.
// What is returned is the first thing that went wrong, which makes the other batches stop.
func (r *reconciler) indexAll(ctx context.Context, files []entry, maxFiles int, maxBytes int64) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(concurrentBatches())
	for len(files) > 0 {
		count := 0
		for size := int64(0); count < min(len(files), maxFiles) && size < maxBytes; count++ {
			size += files[count].stamp.Size
		}
		batch := files[:count]
		files = files[count:]
		group.Go(func() error {
			return panics.Catch(func() error { return r.indexBatch(ctx, batch) })
		})
	}
	return group.Wait() //nolint:wrapcheck // the indexer's
}

func (r *reconciler) indexBatch(ctx context.Context, batch []entry) error {
	if err := ctx.Err(); err != nil {
		return err //nolint:wrapcheck // indexAll returns the first error
	}
	var files []document.File
	for _, e := range batch {
		if file, ok := r.read(e); ok {
			files = append(files, file)
		}
	}
	var failures []document.Failure
	if len(files) > 0 {
		// The files were read before this, so they are of the branch that is ready now.
		err := r.ready()
		if err == nil {
			failures, err = r.indexer.Index(ctx, files)
		}
		if err != nil {
			return err
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.note(files, failures)
	r.done += len(batch)
	r.report(r.done, r.total)
	return nil
}

// read reads a file, and returns false unless it is to be indexed: if it cannot be, or if its
// bytes have the hash of the entry.
func (r *reconciler) read(e entry) (file document.File, ok bool) {
	known := e.stamp.Hash
	content, e, err := r.folder.read(r.root, e)
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case errors.Is(err, fs.ErrNotExist):
		r.gone = append(r.gone, e.path)
	case errors.Is(err, errChanged):
		r.changing = append(r.changing, e.path)
	case err != nil:
		r.fail(e.path, err)
		if unfit(err) {
			r.gone = append(r.gone, e.path)
		}
	case known == sha256.Sum256(content):
		e.stamp.Hash = known
		r.touched = append(r.touched, e)
		r.known[e.path] = e.stamp
	default:
		return e.file(content), true
	}
	return document.File{}, false
}

// note notes what became of files that were handed over.
func (r *reconciler) note(files []document.File, failures []document.Failure) {
	failed := errorsByPath(failures)
	for _, file := range files {
		_, known := r.known[file.Path]
		r.known[file.Path] = file.Stamp()
		switch err := failed[file.Path]; {
		case errors.Is(err, document.ErrChanged):
			r.changing = append(r.changing, file.Path)
			r.known[file.Path] = document.Stamp{} // of an earlier version, perhaps
		case err != nil:
			r.fail(file.Path, err)
		case known:
			r.updated++
		default:
			r.added++
		}
	}
}
