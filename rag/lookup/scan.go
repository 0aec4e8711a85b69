package lookup

import (
	"math"
	"slices"

	"github.com/compound-docs/compound-docs/db"
	"github.com/compound-docs/compound-docs/rag/catalog"
)

// A search compares vectors in one of two ways. The exact comparison compares all vectors. Its cost grows with the
// number of passages. A scan of the HNSW index begins near the query, and goes on until it has found enough of the
// tenant's passages that the filter admits. It may miss near passages. It costs more if such passages are rare.

// alwaysExact is the number of passages up to which all vectors are compared, however large the index. For 1,000
// passages, that takes at most some 2 ms more than a scan. For 500 passages both take equally long.
const alwaysExact = 1_000

// scanCost is the cost of a passage that a scan meets, including the look-up whether the tenant has the passage. The
// unit is the cost of comparing one of the tenant's passages. The measurement is the same as for alwaysExact.
const scanCost = 4

// Scan says how the vectors of documents of some levels were compared.
type Scan struct {
	Levels []catalog.Level `json:"promotion_levels"`
	// Plan is "exact", "hnsw" or "nothing". If an hnsw scan finds too few documents, all vectors are compared after it,
	// but Plan stays "hnsw".
	Plan string `json:"plan"`
	// Passages is how many passages the documents of these levels have. Up to Threshold, all of them are compared.
	Passages  int `json:"passages"`
	Threshold int `json:"exact_up_to"`

	length int32 // how many passages an hnsw scan looks for, 0 to compare all vectors
}

// vectorParams asks for passages with vectors near the query's, and says how vectors are compared. If s.all is set, it
// also asks for passages without a vector.
func (s search) vectorParams() (db.SearchVectorsParams, []Scan) {
	// Documents of the standard level and promoted documents are searched separately, because promotion changes the order
	// only between these two groups. With EachPassage the search needs no such separation.
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

// scan decides how vectors of documents of some levels are compared. graph estimates how many vectors the index has.
func (s search) scan(levels []catalog.Level, counts passageCounts, graph int64) Scan {
	// A scan looks for more passages than the list has, because several may be of one document, and a scan orders passages
	// only roughly. If few passages are admitted, it looks for fewer passages, because it meets many others before each.
	rows := s.listLength(levels)
	length := max(int32(4*s.limit), rows+rows/2, 40)
	if s.documents != nil || s.condition != nil || len(levels) == 1 && levels[0] != catalog.Standard {
		length = max(int32(2*s.limit), rows, 20)
	}
	// Of the passages in the index, n are the tenant's. To find enough of the tenant's passages, a scan meets
	// length*graph/n passages. That costs as much as n comparisons if n*n = scanCost*length*graph.
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
