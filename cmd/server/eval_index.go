package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/compound-docs/compound-docs/internal/document"
	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/rag/index"
)

// searchMode searches a collection in one way.
type searchMode func(ctx context.Context, searcher *rag.Searcher, scope rag.Scope, query rag.Query) (rag.Hits, error)

// modes are the ways of searching that can be measured, by the values of --mode.
func modes() map[string]searchMode {
	return map[string]searchMode{
		"vector": func(ctx context.Context, searcher *rag.Searcher, scope rag.Scope, query rag.Query) (rag.Hits, error) {
			return searcher.Search(ctx, scope, query)
		},
	}
}

func modeNames() string { return strings.Join(slices.Sorted(maps.Keys(modes())), ", ") }

// evalBatch is how many documents are indexed at a time.
const evalBatch = 50

// indexCorpus brings the collection into the index, or finds it there. A document
// that cannot be indexed is an error: the measures would be those of another
// collection. The index of a folder that is not used is removed by cleanup, as
// that of a repository that is gone.
func indexCorpus(ctx context.Context, library *index.Index, c *corpus, progress func(done, total int)) (rag.Scope, error) {
	tenant, err := library.Tenant(ctx, rag.TenantKey{Project: c.projectName()}, c.dir)
	if err != nil {
		return rag.Scope{}, err
	}
	indexer := library.Indexer(tenant, rag.Compounding, c.schema)
	known, err := indexer.Known(ctx)
	if err != nil {
		return rag.Scope{}, err
	}
	missing := slices.DeleteFunc(slices.Clone(c.files), func(file document.File) bool {
		return known[file.Path].Hash == file.Stamp().Hash
	})
	done := 0
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
		done += len(batch)
		progress(done, len(missing))
	}
	if err := library.Queue(tenant, rag.Compounding).Drain(ctx, progress); err != nil {
		return rag.Scope{}, err
	}
	return rag.Scope{Tenant: tenant, Collection: rag.Compounding}, nil
}
