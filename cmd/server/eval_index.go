package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/compound-docs/compound-docs/internal/document"
	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/rag/index"
)

// evalBatch is how many documents are indexed at a time.
const evalBatch = 50

// indexCorpus brings the collection into the index with all its vectors, or finds it
// there. A search by words alone needs no vectors. A document that cannot be indexed, or not
// be embedded as a whole, is an error: the measures would be those of another collection.
// cleanup removes the index when the folder is gone, as it does for repositories.
func indexCorpus(
	ctx context.Context, x *index.Index, c *corpus, mode rag.Mode, progress func(done, total int),
) (catalog.Scope, error) {
	tenant, err := x.Tenant(ctx, catalog.TenantKey{Project: c.projectName()}, c.dir)
	if err != nil {
		return catalog.Scope{}, err
	}
	indexer := x.Indexer(tenant, catalog.Compounding, c.schema)
	known, err := indexer.Known(ctx)
	if err != nil {
		return catalog.Scope{}, err
	}
	missing := slices.DeleteFunc(slices.Clone(c.files), func(file document.File) bool {
		return known[file.Path].Hash == file.Stamp().Hash
	})
	for batch := range slices.Chunk(missing, evalBatch) {
		failures, err := indexer.Index(ctx, batch)
		if err != nil {
			return catalog.Scope{}, err
		}
		var failed []error
		for _, failure := range failures {
			failed = append(failed, fmt.Errorf("index %s: %w", failure.Path, failure.Err))
		}
		if err := errors.Join(failed...); err != nil {
			return catalog.Scope{}, err
		}
	}
	scope := catalog.Scope{Tenant: tenant, Collection: catalog.Compounding}
	if mode == rag.Lexical {
		return scope, nil
	}
	queue := x.Queue(tenant, catalog.Compounding)
	if err := queue.Drain(ctx, progress); err != nil {
		return catalog.Scope{}, err
	}
	var refused []error
	for _, failure := range queue.Status().Failed {
		refused = append(refused, fmt.Errorf("embed %s: %w", failure.Path, failure.Err))
	}
	if err := errors.Join(refused...); err != nil {
		return catalog.Scope{}, err
	}
	return scope, nil
}
