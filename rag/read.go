package rag

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pgvector/pgvector-go"

	"github.com/compound-docs/compound-docs/db"
	"github.com/compound-docs/compound-docs/rag/calibration"
	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/rag/model"
	"github.com/compound-docs/compound-docs/rag/terms"
)

// A search makes two statements, both in sql/queries/search.sql: SearchFacts and
// SearchCandidates. The second runs twice if Query.Critical asks for documents apart.

// facts is what a search must know of a scope before it looks for candidates.
type facts struct {
	version int64 // of the tenant
	// modelID is 0 before the model has made a vector, and in a search by words alone.
	// calibration says what its cosines mean.
	modelID     int32
	calibration calibration.Calibration
	superseded  catalog.Superseded

	// The counts of passages may be a little older. missing have no vector of the model. graph
	// and promotedGraph are about how many vectors the HNSW indexes hold: that of all, and
	// that of promoted passages.
	standard, important, critical int64
	missing                       int64
	graph, promotedGraph          int64
	// countedModel is nil if the counts were read in a search by words alone.
	countedModel   *model.Model
	countedAt      time.Time
	countedVersion int64

	sample *sample
	// changedAt is when a search first met other documents than those that were counted and
	// sampled, zero if none did. For patience the counts and the sample are kept all the same.
	changedAt time.Time
	patience  time.Duration
}

// passages counts all of them.
func (k facts) passages() int64 { return k.standard + k.important + k.critical }

// at counts those of the levels.
func (k facts) at(levels []catalog.Level) (passages int64) {
	of := map[catalog.Level]int64{catalog.Standard: k.standard, catalog.Important: k.important, catalog.Critical: k.critical}
	for _, level := range levels {
		passages += of[level]
	}
	return passages
}

// embedded is the part of the passages that has a vector.
func (k facts) embedded() float64 {
	if k.passages() == 0 {
		return 1
	}
	return float64(k.passages()-k.missing) / float64(k.passages())
}

const (
	// Counts and samples of minKept passages or more are kept for staleAfter, give or take a
	// half, although documents change. To read them takes longer than a search, and all
	// servers meet a change at once.
	minKept    = 500
	staleAfter = 10 * time.Second
	// recountAfter is how long counts are kept while vectors are made, for each of the
	// passages: some hundred times as long as counting takes.
	recountAfter = 500 * time.Microsecond
	// resizeAfter is how long they are kept although nothing changes: the sizes of the
	// indexes come from statistics.
	resizeAfter = time.Minute
	// maxFacts is how many scopes are remembered. The sample of one takes a megabyte or two.
	maxFacts = 16
)

// factsKey names a scope. A tenant of a database that was made again has another generation.
type factsKey struct {
	tenant     int32
	generation int64
	collection catalog.Collection
}

// readFacts returns the facts of a scope. It reads again what has changed since the last
// search. model is nil in a search by words alone.
func (s *Searcher) readFacts(ctx context.Context, scope catalog.Scope, model *model.Model) (facts, error) {
	key := factsKey{scope.Tenant.ID, scope.Tenant.Generation, scope.Collection}
	known, _ := s.known.Get(key)
	params := known.params(scope, model)
	row, err := db.ReadOne(ctx, s.db, "read the state of the index", (*db.Queries).SearchFacts, params)
	switch {
	case db.IsNoRows(err):
		return facts{}, db.ErrTenantGone
	case err != nil:
		return facts{}, err
	}
	if known, err = known.with(row, params, model); err != nil {
		return facts{}, err
	}
	s.known.Add(key, known)
	return known, nil
}

// params asks for what is not known or has changed. Of facts that are not known the versions
// are 0, which no tenant has.
func (k facts) params(scope catalog.Scope, model *model.Model) db.SearchFactsParams {
	age, stale := time.Since(k.countedAt), !k.changedAt.IsZero() && time.Since(k.changedAt) > k.patience
	sameModel := model == nil || k.countedModel != nil && *k.countedModel == *model
	params := db.SearchFactsParams{
		ProjectID: scope.Tenant.ProjectID, TenantID: scope.Tenant.ID, Generation: scope.Tenant.Generation,
		Collection: scope.Collection, ReplacedVersion: k.version, CountsVersion: k.countedVersion,
		KeepCounts: k.passages() >= minKept && !stale, SampleSize: sampleSize,
	}
	embedding := model != nil && k.missing > 0 && age > time.Duration(k.passages())*recountAfter
	if !sameModel || embedding || age > resizeAfter {
		params.CountsVersion, params.KeepCounts = 0, false
	}
	if k.sample != nil {
		params.SampleVersion, params.KeepSample = k.sample.version, k.sample.size >= minKept && !stale
	}
	if model != nil {
		params.ModelName, params.ModelDigest = model.Name, model.Digest
		params.ModelDimensions, params.ModelPromptVersion = int32(model.Dimensions), int32(model.PromptVersion)
	}
	return params
}

// with returns the facts with what was read.
func (k facts) with(row db.SearchFactsRow, params db.SearchFactsParams, model *model.Model) (_ facts, err error) {
	if row.Version != params.ReplacedVersion {
		later := make(map[string][]string, len(row.Replaced))
		for i, path := range row.Replaced {
			later[path] = append(later[path], row.Replacing[i])
		}
		k.version, k.superseded = row.Version, catalog.NewSuperseded(later)
	}
	if row.Version != params.CountsVersion && !params.KeepCounts {
		k.standard, k.important, k.critical = row.Standard, row.Important, row.Critical
		k.missing, k.graph, k.promotedGraph = row.Missing, row.Graph, row.PromotedGraph
		k.countedModel, k.countedAt, k.countedVersion = model, time.Now(), row.Version
	}
	if row.ProjectVersion != params.SampleVersion && !params.KeepSample {
		if k.sample, err = newSample(row); err != nil {
			return facts{}, err
		}
	}
	switch changed := row.Version != k.countedVersion || row.ProjectVersion != k.sample.version; {
	case !changed:
		k.changedAt = time.Time{}
	case k.changedAt.IsZero():
		k.changedAt, k.patience = time.Now(), staleAfter/2+rand.N(staleAfter) //nolint:gosec // it guards no secret
	}
	k.sample = k.sample.at(row.ProjectVersion)
	k.modelID, k.calibration = row.ModelID, calibration.Calibration{}
	if row.OwnFirst != nil {
		k.calibration = calibration.Calibration{
			Matched: *row.Matched, Unmatched: *row.Unmatched, Variance: *row.Variance, OwnFirst: *row.OwnFirst,
		}
	}
	return k, nil
}

// candidate is a passage that a search may return. Its distance is NaN where it is not
// known, and its line is -1 unless a line of a pasted text has found it.
type candidate = db.SearchCandidatesRow

// readCandidates finds the passages that may answer.
func (s *Searcher) readCandidates(ctx context.Context, f *finding) error {
	f.searchable = 1
	if f.passages() == 0 {
		return nil
	}
	filter := f.query.Filter
	filter.Levels = slices.DeleteFunc(catalog.Levels(), func(level catalog.Level) bool {
		return len(f.query.Levels) > 0 && !slices.Contains(f.query.Levels, level) || f.query.Critical > 0 && level == catalog.Critical
	})
	rows, searchable, err := s.readWanted(ctx, f, filter, f.query.Limit, filter.Documents != nil)
	if err != nil {
		return err
	}
	if f.query.Critical > 0 { // a rule holds whatever is asked for
		apart, critical, err := s.readWanted(ctx, f, Filter{Levels: []catalog.Level{catalog.Critical}}, f.query.Critical, true)
		if err != nil {
			return err
		}
		rows, searchable = append(rows, apart...), searchable+critical
	}
	f.candidates, f.searchable = rows, max(1, int(searchable))
	return nil
}

// readWanted finds passages of the documents that the filter lets through. With all, each of
// these documents is found, even without a vector. passages is how many passages they have.
func (s *Searcher) readWanted(
	ctx context.Context, f *finding, filter Filter, limit int, all bool,
) (rows []candidate, passages int64, err error) {
	if len(filter.Levels) == 0 {
		return nil, 0, nil
	}
	params, err := f.candidateParams(filter, limit, all)
	if err != nil {
		return nil, 0, err
	}
	rows, err = db.ReadOne(ctx, s.db, "search", (*db.Queries).SearchCandidates, params)
	near, promoted := params.NearPassages, params.PromotedPassages
	if near == nil && len(rows) > 0 {
		near, promoted = &rows[0].NearPassages, &rows[0].PromotedPassages
	}
	if near == nil {
		return nil, 0, err
	}
	f.plans = append(f.plans,
		explainPlan(params.NearLevels, *near, params.NearAbove, params.NearScan),
		explainPlan(params.PromotedLevels, *promoted, params.PromotedAbove, params.PromotedScan))
	return rows, *near + *promoted, err
}

// candidateParams says what to find. Where two kinds of evidence decide, a list is longer
// than the result: what leads in one may be far down in the other.
func (f *finding) candidateParams(filter Filter, limit int, all bool) (db.SearchCandidatesParams, error) {
	// Several passages may be of one document.
	const passagesPerDocument, lineDocuments = 4, 5
	documents, err := json.Marshal(filter)
	if err != nil {
		return db.SearchCandidatesParams{}, fmt.Errorf("encode the filter: %w", err)
	}
	narrow := string(documents) != "{}"
	near, promoted := f.query.scanLevels(filter.Levels)
	rows, promotedRows := f.listLength(limit, filter.Levels), f.listLength(limit, promoted)
	params := db.SearchCandidatesParams{
		ProjectID: f.scope.Tenant.ProjectID, TenantID: f.scope.Tenant.ID, Collection: f.scope.Collection,
		Levels: filter.Levels, Filter: string(documents), NearLevels: near, PromotedLevels: promoted,
		Terms: termVector(f.weights), Query: f.vector, ModelID: f.comparedModel(),
		WordPassages: passagesPerDocument * int32(rows), LinePassages: lineDocuments,
		Unembedded: all, EachPassage: f.query.EachPassage,
		WantedRows: int64(limit), MaxRows: rows, PromotedRows: promotedRows,
	}
	if !narrow || filter.Documents != nil {
		params.NearPassages, params.PromotedPassages = new(f.at(near)), new(f.at(promoted))
	}
	if filter.Documents == nil {
		params.RareTerms = f.rare
		params.Lines, params.LineTerms, params.LineRareTerms = lineArguments(f.pasted)
	}
	nearest, nearestPromoted := scanLength(limit, rows, near, narrow), scanLength(limit, promotedRows, promoted, narrow)
	params.NearAbove, params.PromotedAbove = exactThreshold(nearest, f.graph), exactThreshold(nearestPromoted, f.promotedGraph)
	if f.vector != nil && !all {
		params.NearScan, params.PromotedScan = nearest, nearestPromoted
	}
	return params, nil
}

// scanLevels divides the levels. Vectors of the standard level and of those above it are
// searched apart: promotion changes the order between the two and not within either.
func (q Query) scanLevels(levels []catalog.Level) (near, promoted []catalog.Level) {
	standard := slices.Index(levels, catalog.Standard)
	switch {
	case standard < 0:
		return []catalog.Level{}, levels
	case q.EachPassage:
		return levels, []catalog.Level{}
	default:
		return levels[:standard+1], levels[standard+1:]
	}
}

// listLength is how many documents of some levels are read, to return limit of them.
func (f *finding) listLength(limit int, levels []catalog.Level) int64 {
	switch {
	case f.Mode == Vector:
		// Of documents with the same text and vector the one that replaces the others may
		// be the last that a search finds.
		return int64(limit + 10)
	case slices.Contains(levels, catalog.Standard):
		return int64(max(2*limit, 100))
	default: // beside them, those of the standard level are found
		return int64(max(2*limit, 50))
	}
}

// scanLength is how many passages a scan of vectors looks for, to fill a list of rows. It is
// larger, because several passages may be of one document and the order of a scan is relaxed.
// Where few passages are wanted it is smaller, because the scan meets many others for each.
func scanLength(limit int, rows int64, levels []catalog.Level, narrow bool) int32 {
	if narrow || len(levels) == 1 && levels[0] != catalog.Standard {
		return int32(max(2*limit, int(rows), 20))
	}
	return int32(max(4*limit, int(rows+rows/2), 40))
}

// A search compares vectors in one of two ways. The exact comparison is never wrong, and its
// cost grows with the number of passages. A scan of the HNSW index walks outward from the
// query until it has met enough of them: its cost grows with how rare they are in the index.

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

// comparedModel is the model of the query's vector, nil without one.
func (f *finding) comparedModel() *int32 {
	if f.vector == nil {
		return nil
	}
	return &f.modelID
}

// termVector is the query's side of BM25.
func termVector(weights terms.Weighted) pgvector.SparseVector {
	elements := make(map[int32]float32, len(weights.Terms))
	for i, term := range weights.Terms {
		elements[term-1] = weights.Weights[i] // pgvector-go counts from 0, PostgreSQL from 1
	}
	return pgvector.NewSparseVectorFromMap(elements, terms.Dimensions)
}

// lineArguments are the arrays by which lines of a pasted text are looked for.
func lineArguments(pasted []pastedLine) (lines []int32, vectors []pgvector.SparseVector, rare []string) {
	for i, line := range pasted {
		terms := make([]string, len(line.rare))
		for j, term := range line.rare {
			terms[j] = strconv.Itoa(int(term))
		}
		lines, vectors = append(lines, int32(i)), append(vectors, termVector(line.weights))
		rare = append(rare, "{"+strings.Join(terms, ",")+"}")
	}
	return lines, vectors, rare
}
