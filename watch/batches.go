package watch

import (
	"context"
	"runtime"

	"golang.org/x/sync/errgroup"

	"github.com/compound-docs/compound-docs/internal/document"
	"github.com/compound-docs/compound-docs/internal/panics"
)

// How much is handed to the indexer at once: enough to fill embedding requests,
// little enough that a stop loses little work.
const (
	batchFiles = 32
	batchBytes = 128 << 10
)

// batchesAtOnce is how many batches are on their way at the same time, so that
// each processor has one to parse while others are embedded and written.
func batchesAtOnce() int { return runtime.GOMAXPROCS(0) + 2 }

// batches hands files to the indexer, several batches at a time. It is used by
// one goroutine, and in the end must be waited for.
type batches struct {
	indexer Indexer
	// handed is called after every batch, by several goroutines.
	handed func(files int, failures []document.Failure)

	ctx   context.Context //nolint:containedctx // the group's, which ends with the first failure
	group *errgroup.Group

	files []document.File
	bytes int
}

func newBatches(ctx context.Context, indexer Indexer, handed func(files int, failures []document.Failure)) *batches {
	group, groupCtx := errgroup.WithContext(ctx)
	group.SetLimit(batchesAtOnce())
	return &batches{indexer: indexer, handed: handed, ctx: groupCtx, group: group}
}

// add takes a file, and reports whether the batch is full and is to be flushed.
func (b *batches) add(file document.File) (full bool) {
	b.files = append(b.files, file)
	b.bytes += len(file.Content)
	return len(b.files) == batchFiles || b.bytes >= batchBytes
}

// flush hands over what was added, if anything, once another batch is done if
// there are many on their way. Its error is that one of them has failed, or that
// the context has ended.
func (b *batches) flush() error {
	files := b.files
	b.files, b.bytes = nil, 0
	if err := b.ctx.Err(); err != nil || len(files) == 0 {
		return err //nolint:wrapcheck // wait has the reason
	}
	b.group.Go(func() error {
		return panics.Catch(func() error {
			failures, err := b.indexer.Index(b.ctx, files)
			if err == nil {
				b.handed(len(files), failures)
			}
			return err
		})
	})
	return nil
}

// wait returns when all batches are done, with the error of the first that failed.
func (b *batches) wait() error {
	return b.group.Wait() //nolint:wrapcheck // the indexer's
}
