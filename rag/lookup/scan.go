package lookup

import (
	"math"
	"slices"

	"github.com/compound-docs/compound-docs/db"
	"github.com/compound-docs/compound-docs/rag/catalog"
)

// A search compares vectors in one of two ways. The exact comparison is never wrong. Its cost
// grows with the number of passages. A scan of the HNSW index walks outward from the query
// until it has met enough wanted passages. Its cost grows with how rare they are in the index.

// alwaysExact is the number of passages up to which all are compared, however large the
// collection. That takes at most some 2 ms more than a scan of the index. At 500 passages the two
// take the same time.
const alwaysExact = 1_000

// scanCost is the cost of meeting a passage in a scan and looking up whether the tenant has it, relative to
// the cost of comparing one of the tenant's passages, as measured with alwaysExact.
const scanCost = 4

// Scan says how the vectors of documents of some levels were compared.
type Scan struct {
	Levels []catalog.Level `json:"promotion_levels"`
	// Plan is "exact", "hnsw" or "nothing". It does not say whether an hnsw scan found too few documents, so
	// that all vectors were compared after it.
	Plan string `json:"plan"`
	// Passages is how many passages have the levels. Up to Threshold all of them are compared.
	Passages  int `json:"passages"`
	Threshold int `json:"exact_up_to"`

	length int32 // how many passages an hnsw scan looks for, 0 to compare all vectors
}

// vectorParams asks for passages with vectors near the query's, and says how they are compared. If the list has all
// set, it asks for passages without a vector too.
func (s search) vectorParams() (db.SearchVectorsParams, []Scan) {
	// The vectors of the standard level and of those above it are searched apart, because promotion changes the order only
	// between the two groups. A search for each passage needs no division.
	near, promoted := s.levels, []catalog.Level{}
	standard := slices.Index(s.levels, catalog.Standard)
	switch {
	case standard < 0:
		near, promoted = []catalog.Level{}, s.levels
	case !s.Question.EachPassage:
		near, promoted = s.levels[:standard+1], s.levels[standard+1:]
	}
	nearScan := s.scan(near, s.counts, s.Facts.counts.graph)
	promotedScan := s.scan(promoted, s.counts, s.Facts.counts.promotedGraph)
	params := db.SearchVectorsParams{
		ProjectID: s.Scope.Tenant.ProjectID, TenantID: s.Scope.Tenant.ID, Collection: s.Scope.Collection,
		Documents: s.documents, Filter: s.condition,
		Terms: termVector(s.Question.Weights), Query: s.Vector, ModelID: s.comparedModel(), Meaning: s.Meaning,
		NearLevels: near, PromotedLevels: promoted, NearScan: nearScan.length, PromotedScan: promotedScan.length,
		Unembedded: s.all, EachPassage: s.Question.EachPassage,
		WantedRows: int32(s.limit), MaxRows: s.listLength(s.levels), PromotedRows: s.listLength(promoted),
	}
	scans := slices.DeleteFunc([]Scan{nearScan, promotedScan}, func(scan Scan) bool { return len(scan.Levels) == 0 })
	return params, scans
}

// scan decides how vectors of documents of some levels are compared. graph is about how many vectors the index has.
func (s search) scan(levels []catalog.Level, counts passageCounts, graph int64) Scan {
	// A scan looks for more passages than the list has, because several may be of one document, and a scan orders them
	// only roughly. If a filter wants few of the passages, it looks for fewer, because it meets many others for each.
	rows := s.listLength(levels)
	length := max(int32(4*s.limit), rows+rows/2, 40)
	if s.documents != nil || s.condition != nil || len(levels) == 1 && levels[0] != catalog.Standard {
		length = max(int32(2*s.limit), rows, 20)
	}
	// The index has graph passages, n of them the tenant's. To find length of these, a scan meets length*graph/n passages.
	// That costs the same as n comparisons when n*n = scanCost*length*graph.
	threshold := max(alwaysExact, int(math.Sqrt(scanCost*float64(length)*float64(graph))))
	scan := Scan{Levels: levels, Plan: "exact", Passages: int(counts.at(levels)), Threshold: threshold}
	switch {
	case scan.Passages == 0:
		scan.Plan = "nothing"
	case s.Vector != nil && !s.all && scan.Passages > threshold:
		scan.Plan, scan.length = "hnsw", length
	}
	return scan
}
