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

// exactThreshold returns the number of passages up to which comparing all of them costs less than a scan. The
// index has size passages, n of them the tenant's. To find wanted of these, a scan meets wanted*size/n passages.
// That costs the same as n comparisons when n*n = scanCost*wanted*size.
func exactThreshold(wanted int32, size int64) int64 {
	return max(alwaysExact, int64(math.Sqrt(scanCost*float64(wanted)*float64(size))))
}

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

// vectorParams asks for passages with vectors near the query's, and says how they are compared. counts are for the
// documents that the filter lets through. If the list has all set, it asks for passages without a vector too.
func (s search) vectorParams(counts passageCounts) (db.SearchVectorsParams, []Scan) {
	near, promoted := divide(s.levels, s.Question.EachPassage)
	nearScan := s.scan(near, counts, s.Facts.counts.graph)
	promotedScan := s.scan(promoted, counts, s.Facts.counts.promotedGraph)
	params := db.SearchVectorsParams{
		ProjectID: s.Scope.Tenant.ProjectID, TenantID: s.Scope.Tenant.ID, Collection: s.Scope.Collection,
		Documents: s.documents, Filtered: s.filtered, DocTypes: s.docTypes, Paths: s.paths, OtherPaths: s.withoutPaths,
		Terms: termVector(s.Question.Weights), Query: s.Vector, ModelID: s.comparedModel(), Meaning: s.Meaning,
		NearLevels: near, PromotedLevels: promoted, NearScan: nearScan.length, PromotedScan: promotedScan.length,
		Unembedded: s.all, EachPassage: s.Question.EachPassage,
		WantedRows: int32(s.limit), MaxRows: s.listLength(s.levels), PromotedRows: s.listLength(promoted),
	}
	scans := slices.DeleteFunc([]Scan{nearScan, promotedScan}, func(scan Scan) bool { return len(scan.Levels) == 0 })
	return params, scans
}

// divide divides the levels into the standard one and those above it. Their vectors are searched apart, because
// promotion changes the order only between the two groups. A search for each passage needs no division.
func divide(levels []catalog.Level, eachPassage bool) (near, promoted []catalog.Level) {
	standard := slices.Index(levels, catalog.Standard)
	switch {
	case standard < 0:
		return []catalog.Level{}, levels
	case eachPassage:
		return levels, []catalog.Level{}
	default:
		return levels[:standard+1], levels[standard+1:]
	}
}

// scan decides how vectors of documents of some levels are compared. graph is about how many vectors the index has.
func (s search) scan(levels []catalog.Level, counts passageCounts, graph int64) Scan {
	length := s.scanLength(levels)
	scan := Scan{Levels: levels, Plan: "exact", Passages: int(counts.at(levels)), Threshold: int(exactThreshold(length, graph))}
	switch {
	case scan.Passages == 0:
		scan.Plan = "nothing"
	case s.Vector != nil && !s.all && scan.Passages > scan.Threshold:
		scan.Plan, scan.length = "hnsw", length
	}
	return scan
}

// scanLength returns how many passages a scan of vectors looks for. It is larger than the list, because several
// passages may be of one document, and a scan orders them only roughly. It is smaller if a filter wants few of the
// passages, because the scan then meets many others for each.
func (s search) scanLength(levels []catalog.Level) int32 {
	rows := s.listLength(levels)
	if s.documents != nil || s.filtered || len(levels) == 1 && levels[0] != catalog.Standard {
		return max(int32(2*s.limit), rows, 20)
	}
	return max(int32(4*s.limit), rows+rows/2, 40)
}
