package rag

import (
	"context"
	"fmt"
	"math"
	"strings"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/compound-docs/compound-docs/db"
)

// A search goes one of two ways: it compares the query with every passage that
// the filters let through, which is never wrong and costs as much as there are;
// or it walks an HNSW graph, of all passages of the collection or of the promoted
// ones, outward from the query until it has met enough of them, which costs as much
// as they are rare in it.

// exactUpTo is the number of passages up to which all are compared, however
// large the collection: that is never wrong, and takes some 2 ms more than a walk
// would, or far less. The row search.crossover of the benchmarks measures it.
const exactUpTo = 1_000

// walkCost is what it costs to meet a passage on a walk and look up whether the
// tenant has it, over what it costs to compare one that the tenant is known to
// have. It is measured by the same row.
const walkCost = 4

// crossover is the number of passages up to which comparing all costs less than
// a walk. A walk for so many passages of a tenant that has n of an index of size
// meets wanted*size/n, which costs the same as n comparisons when
// n*n = walkCost*wanted*size.
func crossover(wanted int32, size int64) int32 {
	return max(exactUpTo, int32(min(math.Sqrt(walkCost*float64(wanted)*float64(size)), math.MaxInt32/2)))
}

// toWalk is how many passages a walk looks for at first, to find the documents or
// passages that are asked for: several may be of one document, and the order of a
// walk is relaxed. Where a filter leaves few of them, each is one that the walk has
// met many others for, so that it looks for less.
func (f filter) toWalk() int32 {
	if f.docTypes != nil || f.promoted() && len(f.levels) == 1 {
		const surplus, least = 2, 20
		return max(surplus*f.limit, least)
	}
	const surplus, least = 4, 40
	return max(surplus*f.limit, least)
}

// alongRoute searches on the way that costs less. walk reports whether it found
// enough; pgvector gives up after hnsw.max_scan_tuples, and then all are compared.
func alongRoute[T any](
	ctx context.Context, s *Searcher, q *db.Queries, f filter,
	compare func() ([]T, error), walk func() (found []T, enough bool, err error),
) ([]T, error) {
	size, err := s.routes.size(ctx, q, hnswIndex{collection: f.scope.Collection, promoted: f.promoted()})
	if err != nil {
		return nil, err
	}
	limit := crossover(f.toWalk(), size)
	passages, err := s.routes.count(ctx, q, f, limit)
	if err != nil || passages == 0 {
		return []T{}, err
	}
	if passages > limit {
		found, enough, err := walk()
		if err != nil || enough {
			return found, err
		}
	}
	return compare()
}

// routes remembers what routes are chosen by. Safe for concurrent use.
type routes struct {
	sizes remembered[hnswIndex, int64]
	many  remembered[selection, struct{}]
}

func newRoutes() *routes {
	return &routes{sizes: newRemembered[hnswIndex, int64](), many: newRemembered[selection, struct{}]()}
}

// hnswIndex is that of all passages of a collection or of the promoted ones.
type hnswIndex struct {
	collection Collection
	promoted   bool
}

// selection is a tenant's passages that a filter lets through, and the crossover
// that they are more than.
type selection struct {
	tenant           int32
	collection       Collection
	levels, docTypes string
	limit            int32
}

// size is how many passages of all tenants the index holds, about.
func (r *routes) size(ctx context.Context, q *db.Queries, index hnswIndex) (int64, error) {
	if passages, ok := r.sizes.get(index); ok {
		return passages, nil
	}
	passages, err := q.PassageEstimate(ctx, db.PassageEstimateParams{Collection: index.collection, Promoted: index.promoted})
	if err == nil {
		r.sizes.put(index, passages)
	}
	return passages, err
}

// count is how many passages the filter lets through, no further than one more than
// limit. That they are so many is remembered, since counting so far takes time: once
// they are not, a walk finds less than it should, and all are compared.
func (r *routes) count(ctx context.Context, q *db.Queries, f filter, limit int32) (int32, error) {
	key := selection{
		tenant: f.scope.Tenant.ID, collection: f.scope.Collection, levels: fmt.Sprint(f.levels),
		docTypes: strings.Join(f.docTypes, "\x00"), limit: limit,
	}
	if _, ok := r.many.get(key); ok {
		return limit + 1, nil
	}
	passages, err := q.ChunkCountUpTo(ctx, db.ChunkCountUpToParams{
		ProjectID: f.scope.Tenant.ProjectID, TenantID: f.scope.Tenant.ID, Collection: f.scope.Collection,
		DocTypes: f.docTypes, Levels: f.levels, MaxCount: limit + 1,
	})
	if err == nil && passages > int64(limit) {
		r.many.put(key, struct{}{})
	}
	return int32(passages), err
}

// How long something is remembered, and how much of it.
const (
	rememberedFor  = time.Minute
	rememberedMost = 1000
)

// remembered holds values that may be out of date. Safe for concurrent use.
type remembered[K comparable, V any] struct {
	cache *lru.Cache[K, dated[V]]
}

type dated[V any] struct {
	value V
	until time.Time
}

func newRemembered[K comparable, V any]() remembered[K, V] {
	cache, err := lru.New[K, dated[V]](rememberedMost)
	if err != nil {
		panic(fmt.Sprintf("rag: remembered: %v", err)) // of a size below 1
	}
	return remembered[K, V]{cache: cache}
}

func (r remembered[K, V]) get(key K) (value V, ok bool) {
	known, ok := r.cache.Get(key)
	return known.value, ok && time.Now().Before(known.until)
}

func (r remembered[K, V]) put(key K, value V) {
	r.cache.Add(key, dated[V]{value: value, until: time.Now().Add(rememberedFor)})
}
