package rag

import (
	"context"
	"math"
	"sync"
	"time"

	"github.com/compound-docs/compound-docs/db"
)

// A search goes one of two ways: it compares the query with every passage that
// the filters let through, which is never wrong and costs as much as there are;
// or it walks the collection's HNSW graph outward from the query until it has
// met enough of them, which costs as much as they are rare among all passages.

// exactUpTo is the number of passages up to which all are compared, however
// large the collection: a walk has costs of its own, and below this it is never
// the faster way. The row search.crossover of the benchmarks measures it.
const exactUpTo = 1_000

// walkCost is what it costs to meet a passage on a walk and look up whether the
// tenant has it, over what it costs to compare one that the tenant is known to
// have. It is measured by the same row.
const walkCost = 4

// crossover is the number of passages up to which comparing all costs less than
// a walk. A walk for so many passages of a tenant that has n of a collection of
// size meets wanted*size/n, which costs the same as n comparisons when
// n*n = walkCost*wanted*size.
func crossover(wanted int32, size int64) int32 {
	return max(exactUpTo, int32(min(math.Sqrt(walkCost*float64(wanted)*float64(size)), math.MaxInt32/2)))
}

// walked is how many passages a walk looks for, to find so many documents or
// passages: several may be of one document, and its order is relaxed.
func walked(wanted int32) int32 {
	const surplus, least = 4, 40
	return max(surplus*wanted, least)
}

// alongRoute searches on the way that costs less. walk reports whether it found
// enough; pgvector gives up after hnsw.max_scan_tuples, and then all are compared.
func alongRoute[T any](
	ctx context.Context, l *Library, q *db.Queries, f filter,
	compare func() ([]T, error), walk func() (found []T, enough bool, err error),
) ([]T, error) {
	size, err := l.sizes.of(ctx, q, f.scope.Collection)
	if err != nil {
		return nil, err
	}
	limit := crossover(walked(f.limit), size)
	passages, err := q.ChunkCountUpTo(ctx, db.ChunkCountUpToParams{
		ProjectID: f.scope.Tenant.projectID, TenantID: f.scope.Tenant.id, Collection: f.scope.Collection,
		DocTypes: f.docTypes, Levels: f.levels, MaxCount: limit + 1,
	})
	if err != nil || passages == 0 {
		return []T{}, err
	}
	if passages > int64(limit) {
		found, enough, err := walk()
		if err != nil || enough {
			return found, err
		}
	}
	return compare()
}

// sizesTTL is how long a collection's size is believed.
const sizesTTL = time.Minute

// sizes remembers how many passages the collections hold. The zero value is
// ready for use. Safe for concurrent use.
type sizes struct {
	mu    sync.Mutex
	known map[Collection]size
}

type size struct {
	passages int64
	until    time.Time
}

func (s *sizes) of(ctx context.Context, q *db.Queries, collection Collection) (int64, error) {
	s.mu.Lock()
	known, ok := s.known[collection]
	s.mu.Unlock()
	if ok && time.Now().Before(known.until) {
		return known.passages, nil
	}
	passages, err := q.PassageEstimate(ctx, db.PassageEstimateParams{Collection: collection})
	if err != nil {
		return 0, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.known == nil {
		s.known = map[Collection]size{}
	}
	s.known[collection] = size{passages: passages, until: time.Now().Add(sizesTTL)}
	return passages, nil
}
