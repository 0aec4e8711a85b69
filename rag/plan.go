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

// A search has two plans. The exact one compares the query with every passage that
// the filter matches: it is never wrong, and its cost grows with their number. The
// other scans an HNSW index, of all passages of the collection or of the promoted
// ones, outward from the query until it has met enough of them: its cost grows with
// how rare they are in that index.
type searchPlan int

const (
	planNothing searchPlan = iota // no passage matches
	planExact
	planHNSW
)

// alwaysExact is the number of passages up to which all are compared, however large
// the collection: that is never wrong, and takes at most some 2 ms more than a scan
// of the index. The row search.crossover of the benchmarks measures it.
const alwaysExact = 1_000

// scanCost is the cost of meeting a passage in a scan and looking up whether the
// tenant has it, relative to the cost of comparing one of the tenant's passages. The
// same row measures it.
const scanCost = 4

// exactThreshold is the number of passages up to which comparing all of them costs
// less than a scan. To find wanted passages of a tenant that has n of the size
// passages in the index, a scan meets wanted*size/n. That costs the same as n
// comparisons when n*n = scanCost*wanted*size.
func exactThreshold(wanted int32, size int64) int32 {
	return max(alwaysExact, int32(min(math.Sqrt(scanCost*float64(wanted)*float64(size)), math.MaxInt32/2)))
}

// candidateLimit is how many passages a scan looks for at first. It is larger than
// the number of results, since several passages may be of one document and the order
// of a scan is relaxed. Where the filter matches few passages the scan looks for
// fewer, since it meets many others for each.
func (f filter) candidateLimit() int32 {
	if f.docTypes != nil || f.promoted() && len(f.levels) == 1 {
		const factor, least = 2, 20
		return max(factor*f.limit, least)
	}
	const factor, least = 4, 40
	return max(factor*f.limit, least)
}

// runPlan searches by the plan that costs less. scan reports whether it found
// enough; pgvector gives up after hnsw.max_scan_tuples, and then all passages are
// compared.
func runPlan[T any](
	ctx context.Context, p *planner, q *db.Queries, f filter,
	compare func() ([]T, error), scan func() (found []T, enough bool, err error),
) ([]T, error) {
	plan, err := p.plan(ctx, q, f)
	if err != nil || plan == planNothing {
		return []T{}, err
	}
	if plan == planHNSW {
		found, enough, err := scan()
		if err != nil || enough {
			return found, err
		}
	}
	return compare()
}

// planner chooses the plan of a search by numbers that it keeps for up to a minute.
// Safe for concurrent use.
type planner struct {
	sizes *lru.Cache[hnswIndex, int64]
	// large has the selections that were too large to compare.
	large *lru.Cache[selection, struct{}]
}

func newPlanner() *planner {
	const maxSelections = 1000
	return &planner{sizes: newCache[hnswIndex, int64](maxSelections), large: newCache[selection, struct{}](maxSelections)}
}

// newCache returns a cache of the size, which must be at least 1.
func newCache[K comparable, V any](size int) *lru.Cache[K, V] {
	cache, err := lru.New[K, V](size)
	if err != nil {
		panic(fmt.Sprintf("rag: cache of %d: %v", size, err))
	}
	return cache
}

// minute is part of the key of what is kept no longer than until the next one.
type minute int64

func thisMinute() minute { return minute(time.Now().Unix() / 60) }

// hnswIndex is that of all passages of a collection or of the promoted ones.
type hnswIndex struct {
	collection Collection
	promoted   bool
	asOf       minute
}

// selection is a tenant's passages that a filter matches, and the threshold that
// their number was compared with.
type selection struct {
	tenant           int32
	collection       Collection
	levels, docTypes string
	threshold        int32
	asOf             minute
}

func (p *planner) plan(ctx context.Context, q *db.Queries, f filter) (searchPlan, error) {
	size, err := p.indexSize(ctx, q, f)
	if err != nil {
		return planNothing, err
	}
	threshold := exactThreshold(f.candidateLimit(), size)
	passages, err := p.count(ctx, q, f, threshold)
	switch {
	case err != nil || passages == 0:
		return planNothing, err
	case passages > threshold:
		return planHNSW, nil
	default:
		return planExact, nil
	}
}

// indexSize is about how many passages of all tenants the filter's index holds.
func (p *planner) indexSize(ctx context.Context, q *db.Queries, f filter) (int64, error) {
	index := hnswIndex{collection: f.scope.Collection, promoted: f.promoted(), asOf: thisMinute()}
	if passages, ok := p.sizes.Get(index); ok {
		return passages, nil
	}
	passages, err := q.PassageEstimate(ctx, db.PassageEstimateParams{Collection: index.collection, Promoted: index.promoted})
	if err == nil {
		p.sizes.Add(index, passages)
	}
	return passages, err
}

// count returns how many passages the filter matches, counted no further than one
// above the threshold. Only large numbers are kept, since counting them takes time,
// and an outdated one does no harm: a scan then finds too little, and all passages
// are compared. A small or empty selection may have been filled since.
func (p *planner) count(ctx context.Context, q *db.Queries, f filter, threshold int32) (int32, error) {
	key := selection{
		tenant: f.scope.Tenant.ID, collection: f.scope.Collection, levels: fmt.Sprint(f.levels),
		docTypes: strings.Join(f.docTypes, "\x00"), threshold: threshold, asOf: thisMinute(),
	}
	if p.large.Contains(key) {
		return threshold + 1, nil
	}
	passages, err := q.ChunkCountUpTo(ctx, db.ChunkCountUpToParams{
		ProjectID: f.scope.Tenant.ProjectID, TenantID: f.scope.Tenant.ID, Collection: f.scope.Collection,
		DocTypes: f.docTypes, Levels: f.levels, MaxCount: threshold + 1,
	})
	if err == nil && passages > int64(threshold) {
		p.large.Add(key, struct{}{})
	}
	return int32(passages), err
}
