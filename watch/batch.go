package watch

import (
	"context"
	"errors"
	"io/fs"
	"runtime"

	"golang.org/x/sync/errgroup"

	"github.com/compound-docs/compound-docs/internal/document"
	"github.com/compound-docs/compound-docs/internal/panics"
)

// Limits of one batch, which is one transaction. A batch must be worth a transaction, and a stop must lose little work.
// changesFiles and changesBytes are for changes since the last walk. They are larger, because each transaction with a
// far database takes long.
const (
	batchFiles   = 64
	batchBytes   = 128 << 10
	changesFiles = 256
	changesBytes = 512 << 10
)

// indexAll reads files and gives them to the indexer in batches. The first error stops the other batches.
func (r *reconciler) indexAll(ctx context.Context, files []entry) error {
	maxFiles, maxBytes := changesFiles, int64(changesBytes)
	if r.whole {
		maxFiles, maxBytes = batchFiles, batchBytes
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0) + 2) // each processor parses a batch while others are written
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
		if file, ok := r.load(e); ok {
			files = append(files, file)
		}
	}
	// The files were read before this check, so they belong to the branch that is ready now.
	if err := r.ready(); err != nil {
		return err
	}
	failures, err := r.indexer.Index(ctx, files)
	if err != nil {
		return err
	}
	failed := errorsByPath(failures)
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, file := range files {
		_, known := r.known[file.Path]
		r.known[file.Path] = file.Stamp
		switch err := failed[file.Path]; {
		case errors.Is(err, document.ErrChanged):
			r.changing = append(r.changing, file.Path)
			r.known[file.Path] = document.Stamp{} // the index may have an earlier version
		case errors.Is(err, document.ErrLeftOut):
			r.leftOut++
		case err != nil:
			r.fail(file.Path, err)
		case known:
			r.updated++
		default:
			r.added++
		}
	}
	r.done += len(batch)
	r.report(r.done, r.total)
	return nil
}

// load reads a file. ok is false if the file cannot be indexed now, or still has the indexed bytes.
func (r *reconciler) load(e entry) (_ document.File, ok bool) {
	file, err := r.folder.read(r.root, e)
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
	case file.Stamp.Hash == e.stamp.Hash:
		r.touched[e.path] = file.Stamp
		r.known[e.path] = file.Stamp
	default:
		return file, true
	}
	return document.File{}, false
}
