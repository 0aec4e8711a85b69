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

// planner keeps the numbers that plans are chosen by, for about a minute. Safe for
// concurrent use.
type planner struct {
	sizes *lru.Cache[hnswIndex, indexSize]
	// large has the selections that were too large to compare.
	large *lru.Cache[selection, struct{}]
}

func newPlanner() *planner {
	const maxSelections = 1000
	return &planner{
		sizes: newCache[hnswIndex, indexSize](maxSelections), large: newCache[selection, struct{}](maxSelections),
	}
}

// newCache returns a cache of the size, which must be at least 1.
func newCache[K comparable, V any](size int) *lru.Cache[K, V] {
	cache, err := lru.New[K, V](size)
	if err != nil {
		panic(fmt.Sprintf("rag: cache of %d: %v", size, err))
	}
	return cache
}

// minute is part of what is kept no longer than until the next one.
type minute int64

func thisMinute() minute { return minute(time.Now().Unix() / 60) }

// hnswIndex is that of all vectors of a collection or of the promoted ones. Projects
// share it, unless the tables are distributed over several nodes.
type hnswIndex struct {
	project    int32
	collection Collection
	promoted   bool
}

// indexSize is about how many vectors of all tenants an index holds.
type indexSize struct {
	vectors int64
	asOf    minute
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

// planning finds the plan of one list of vectors.
type planning struct {
	planner *planner
	filter  filter
	// size is of the index, and nil until it is known.
	size *int64
	// count is how many passages the filter matches, counted no further than one
	// above upTo. It is nil until they are counted.
	count *int64
	upTo  int32
}

func (p *planner) begin(f filter) *planning {
	planning := &planning{planner: p, filter: f}
	if known, ok := p.sizes.Get(f.index()); ok {
		planning.size = &known.vectors
	}
	return planning
}

func (f filter) index() hnswIndex {
	return hnswIndex{project: f.scope.Tenant.ProjectID, collection: f.scope.Collection, promoted: f.promoted()}
}

// reads returns the queries that the plan wants next, none when it can be made. A
// size that is old is good enough until the next search.
func (p *planning) reads(ctx context.Context) []func(q *db.Queries) error {
	var reads []func(q *db.Queries) error
	known, ok := p.planner.sizes.Get(p.filter.index())
	if !ok || known.asOf != thisMinute() {
		reads = append(reads, func(q *db.Queries) error { return p.readSize(ctx, q) })
	}
	threshold := p.threshold()
	if p.planner.large.Contains(p.filter.selection(threshold)) {
		most := int64(threshold) + 1
		p.count, p.upTo = &most, threshold
	}
	if p.count == nil || *p.count > int64(p.upTo) && p.upTo < threshold {
		reads = append(reads, func(q *db.Queries) error { return p.countUpTo(ctx, q, threshold) })
	}
	return reads
}

// threshold is that of an empty index until the size is known.
func (p *planning) threshold() int32 {
	if p.size == nil {
		return exactThreshold(p.filter.candidateLimit(), 0)
	}
	return exactThreshold(p.filter.candidateLimit(), *p.size)
}

func (p *planning) readSize(ctx context.Context, q *db.Queries) error {
	index := p.filter.index()
	vectors, err := q.EmbeddingEstimate(ctx, db.EmbeddingEstimateParams{
		ProjectID: index.project, Collection: index.collection, Promoted: index.promoted,
	})
	if err != nil {
		return err
	}
	p.planner.sizes.Add(index, indexSize{vectors, thisMinute()})
	if p.size == nil {
		p.size = &vectors
	}
	return nil
}

// countUpTo counts the passages that the filter matches. Only large numbers are kept,
// since counting them takes time, and an outdated one does no harm: a scan then finds
// too little, and all passages are compared. A small or empty selection may have been
// filled since.
func (p *planning) countUpTo(ctx context.Context, q *db.Queries, threshold int32) error {
	f := p.filter
	passages, err := q.ChunkCountUpTo(ctx, db.ChunkCountUpToParams{
		ProjectID: f.scope.Tenant.ProjectID, TenantID: f.scope.Tenant.ID, Collection: f.scope.Collection,
		DocTypes: f.docTypes, Levels: f.levels, MaxCount: threshold + 1,
	})
	if err != nil {
		return err
	}
	p.count, p.upTo = &passages, threshold
	if passages > int64(threshold) {
		p.planner.large.Add(f.selection(threshold), struct{}{})
	}
	return nil
}

func (f filter) selection(threshold int32) selection {
	return selection{
		tenant: f.scope.Tenant.ID, collection: f.scope.Collection, levels: fmt.Sprint(f.levels),
		docTypes: strings.Join(f.docTypes, "\x00"), threshold: threshold, asOf: thisMinute(),
	}
}

// plan returns the plan that costs less.
func (p *planning) plan() searchPlan {
	switch {
	case *p.count == 0:
		return planNothing
	case *p.count > int64(p.threshold()):
		return planHNSW
	default:
		return planExact
	}
}
