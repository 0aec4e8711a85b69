package rag

import (
	"math"
	"slices"

	"github.com/compound-docs/compound-docs/rag/catalog"
)

// A search by vectors has two plans. The exact one compares the query with every passage
// that the filter matches: it is never wrong, and its cost grows with their number. The
// other scans an HNSW index, of all passages of the collection or of the promoted
// ones, outward from the query until it has met enough of them: its cost grows with
// how rare they are in that index.
type searchPlan string

const (
	planNothing searchPlan = "nothing" // no passage matches
	planExact   searchPlan = "exact"
	planHNSW    searchPlan = "hnsw"
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
func exactThreshold(wanted int32, size int64) int64 {
	return max(alwaysExact, int64(math.Sqrt(scanCost*float64(wanted)*float64(size))))
}

// group is documents of some levels that are looked for apart from others.
type group struct {
	levels   []catalog.Level
	docTypes []string // nil for all
	// documents are the only ones, nil for all.
	documents []int64
	// eachPassage makes a list of passages; otherwise it has each document once.
	eachPassage bool
	// unembedded has documents without a vector in a list by vectors too, behind the
	// others. Such a list is filled without a query vector as well.
	unembedded bool
	// wanted is how many the caller wants in the end, limit how long the list may be.
	wanted, limit int32

	// plan is how vectors are compared. Of total passages a scan looks for the nearest.
	// Up to exactUpTo of them all are compared.
	plan             searchPlan
	total, exactUpTo int64
	nearest          int32

	found []candidate
}

// roomForSuperseded is by how much a list is longer than the result at least. Of
// documents with the same text and vector the one that replaces the others may be the
// last that a search finds.
const roomForSuperseded = 10

// newGroup returns the query's documents of the levels. Where two kinds of evidence
// decide, a list is longer than the result: what leads in one may be far down in the
// other.
func newGroup(query Query, levels []catalog.Level) *group {
	g := &group{
		levels: levels, docTypes: query.docTypes(), documents: query.Documents, eachPassage: query.EachPassage,
		wanted: int32(query.Limit),
	}
	g.limit = g.wanted + roomForSuperseded
	if query.Mode != Vector {
		const factor, least = 2, 100
		g.limit = max(factor*g.wanted, least)
		if g.promoted() {
			g.limit = max(factor*g.wanted, least/2) // beside them, those of the standard level are found
		}
	}
	return g
}

// promoted reports whether no document of the standard level is in the group.
func (g *group) promoted() bool { return !slices.Contains(g.levels, catalog.Standard) }

// candidateLimit is how many passages a scan of vectors looks for at first. It is
// larger than the number of results, since several passages may be of one document
// and the order of a scan is relaxed. Where the filter matches few passages the scan
// looks for fewer, since it meets many others for each.
func (g *group) candidateLimit() int32 {
	if g.docTypes != nil || g.promoted() && len(g.levels) == 1 {
		const factor, least = 2, 20
		return max(factor*g.wanted, g.limit, least)
	}
	const factor, least = 4, 40
	return max(factor*g.wanted, g.limit+g.limit/2, least)
}

// choosePlan takes the plan that costs less.
func (g *group) choosePlan(f facts) {
	g.nearest, g.total = g.candidateLimit(), f.counts.of(g.levels)
	size := f.indexed
	if g.promoted() {
		size = f.promotedIndexed
	}
	switch g.exactUpTo = exactThreshold(g.nearest, size); {
	case g.unembedded:
		g.plan = planExact
	case g.total == 0:
		g.plan = planNothing
	case g.total > g.exactUpTo:
		g.plan = planHNSW
	default:
		g.plan = planExact
	}
}

// complete reports whether enough was found; otherwise it changes how the search goes
// on. Several passages of one document may be among the nearest, so the number of
// passages that a scan looks for grows until they make enough documents. If the scan
// ended before that, at hnsw.max_scan_tuples, or took so long that comparing all
// passages costs no more, these are compared.
func (g *group) complete() bool {
	const growth, most = 2, 1000
	switch {
	case g.plan == planExact || len(g.found) >= int(g.wanted):
		return true
	case len(g.found) > 0 && g.found[0].Candidates == int64(g.nearest) && g.nearest < most:
		g.nearest *= growth
	default:
		g.plan = planExact
	}
	return false
}
