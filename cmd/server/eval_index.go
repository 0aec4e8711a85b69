package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/compound-docs/compound-docs/internal/document"
	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/rag/index"
)

// evalBatch is how many documents are indexed at a time.
const evalBatch = 50

// indexCorpus brings the collection into the index with all its vectors, or finds it
// there. A document that cannot be indexed, or embedded whole, is an error: the
// measures would be those of another collection. The index of a folder that is not used is removed by cleanup, as
// that of a repository that is gone.
func indexCorpus(ctx context.Context, x *index.Index, c *corpus, progress func(done, total int)) (rag.Scope, error) {
	tenant, err := x.Tenant(ctx, rag.TenantKey{Project: c.projectName()}, c.dir)
	if err != nil {
		return rag.Scope{}, err
	}
	indexer := x.Indexer(tenant, rag.Compounding, c.schema)
	known, err := indexer.Known(ctx)
	if err != nil {
		return rag.Scope{}, err
	}
	missing := slices.DeleteFunc(slices.Clone(c.files), func(file document.File) bool {
		return known[file.Path].Hash == file.Stamp().Hash
	})
	for batch := range slices.Chunk(missing, evalBatch) {
		failures, err := indexer.Index(ctx, batch)
		if err != nil {
			return rag.Scope{}, err
		}
		var failed []error
		for _, failure := range failures {
			failed = append(failed, fmt.Errorf("index %s: %w", failure.Path, failure.Err))
		}
		if err := errors.Join(failed...); err != nil {
			return rag.Scope{}, err
		}
	}
	queue := x.Queue(tenant, rag.Compounding)
	if err := queue.Drain(ctx, progress); err != nil {
		return rag.Scope{}, err
	}
	var refused []error
	for _, failure := range queue.Status().Failed {
		refused = append(refused, fmt.Errorf("embed %s: %w", failure.Path, failure.Err))
	}
	if err := errors.Join(refused...); err != nil {
		return rag.Scope{}, err
	}
	return rag.Scope{Tenant: tenant, Collection: rag.Compounding}, nil
}
