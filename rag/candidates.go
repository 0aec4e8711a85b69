package rag

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/pgvector/pgvector-go"
	"golang.org/x/sync/errgroup"

	"github.com/compound-docs/compound-docs/db"
	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/rag/relevance"
	"github.com/compound-docs/compound-docs/rag/terms"
)

// candidate is a passage that a search may return. Its distance and its likeness are NaN if they are unknown.
// Its line is -1 unless a line of a pasted text has found it.
type candidate = db.SearchWordsRow

// allDocuments is the encoding of a filter that has only levels.
const allDocuments = "{}"

// findCandidates finds the passages that may answer, by what the facts say.
func (s *Searcher) findCandidates(ctx context.Context, f *search, embedding *queryEmbedding) error {
	if err := f.takeVector(ctx, embedding); err != nil {
		return err
	}
	if f.Mode != Vector {
		vocabulary := f.vocabulary()
		if !vocabulary.IsEnglish() {
			if f.terms = vocabulary.Query(f.query.Text); len(f.terms.Terms) == 0 && f.query.Mode == Lexical {
				return noWord()
			}
		}
		f.weights = f.terms.Weigh(f.sample.size, f.sample.frequency)
		f.rare = f.sample.rareTerms(f.terms, f.sample.maxMatches())
		f.pasted = pastedLines(vocabulary, f.query, f.sample)
	}
	err := s.readCandidates(ctx, f)
	f.searchable = max(1, f.searchable)
	return err
}

// readCandidates finds the passages that may answer.
func (s *Searcher) readCandidates(ctx context.Context, f *search) error {
	if f.passages() == 0 {
		return nil
	}
	filter := f.query.Filter
	filter.Levels = slices.DeleteFunc(catalog.Levels(), func(level catalog.Level) bool {
		return len(f.query.Levels) > 0 && !slices.Contains(f.query.Levels, level) || f.query.Critical > 0 && level == catalog.Critical
	})
	err := s.readAllowed(ctx, f, filter, f.query.Limit, filter.Documents != nil)
	if err == nil && f.query.Critical > 0 { // a rule holds whatever is asked for
		err = s.readAllowed(ctx, f, Filter{Levels: []catalog.Level{catalog.Critical}}, f.query.Critical, true)
	}
	return err
}

// readAllowed adds passages of the documents that the filter allows to the candidates. With
// all, it finds each of these documents, even without a vector.
func (s *Searcher) readAllowed(ctx context.Context, f *search, filter Filter, limit int, all bool) error {
	if len(filter.Levels) == 0 {
		return nil
	}
	encoded, err := json.Marshal(filter)
	if err != nil {
		return fmt.Errorf("encode the filter: %w", err)
	}
	allowed := string(encoded)
	counts := f.counts
	if allowed != allDocuments && filter.Documents == nil {
		row, err := db.ReadOne(ctx, s.db, "count passages", (*db.Queries).SearchCounts, db.SearchCountsParams{
			ProjectID: f.scope.Tenant.ProjectID, TenantID: f.scope.Tenant.ID, Collection: f.scope.Collection, Filter: allowed,
		})
		if err != nil {
			return err
		}
		counts = passageCounts(row)
	}
	f.searchable += int(counts.at(filter.Levels))
	var words []db.SearchWordsRow
	var compared []db.SearchVectorsRow
	var alike []db.SearchMeaningsRow
	// Each has a connection, because PostgreSQL uses one processor for a connection.
	reads, ctx := errgroup.WithContext(ctx)
	if len(f.rare) > 0 && filter.Documents == nil {
		params := f.wordParams(filter.Levels, allowed, limit)
		reads.Go(func() (err error) {
			words, err = db.ReadOne(ctx, s.db, "search words", (*db.Queries).SearchWords, params)
			return err
		})
	}
	if f.vector != nil || all {
		params := f.vectorParams(filter.Levels, allowed, limit, counts, all)
		reads.Go(func() (err error) {
			compared, err = db.ReadOne(ctx, s.db, "search vectors", (*db.Queries).SearchVectors, params)
			return err
		})
	}
	if f.BuiltIn && filter.Documents == nil && counts.at(filter.Levels) <= maxMeanings {
		params := f.meaningParams(filter.Levels, allowed, limit)
		reads.Go(func() (err error) {
			alike, err = db.ReadOne(ctx, s.db, "search meanings", (*db.Queries).SearchMeanings, params)
			return err
		})
	}
	if err := reads.Wait(); err != nil {
		return err //nolint:wrapcheck // of this package's reads
	}
	f.candidates = append(f.candidates, words...)
	for _, row := range compared {
		f.candidates = append(f.candidates, candidate(row))
	}
	for _, row := range alike {
		f.candidates = append(f.candidates, candidate(row))
	}
	return nil
}

// Passages returns all passages of some documents of the scope that was searched, in
// their order in each document, with their relevance to the query of the search.
func (s *Searcher) Passages(ctx context.Context, hits Hits, documents []int64) ([]Passage, error) {
	f := hits.of
	rows, err := db.ReadOne(ctx, s.db, "read texts", (*db.Queries).ChunkTexts, db.ChunkTextsParams{
		ProjectID: f.scope.Tenant.ProjectID, Collection: f.scope.Collection, DocumentIds: documents,
		Terms: termVector(f.weights), Query: f.vector, ModelID: f.comparedModel(), Meaning: f.builtIn(),
	})
	texts, passages := make([]candidate, len(rows)), make([]Passage, 0, len(rows))
	for i, row := range rows {
		texts[i] = candidate{
			ID: row.DocumentID, Heading: row.Heading, Content: row.Content,
			Bm25: row.Bm25, Distance: row.Distance, Likeness: row.Likeness,
		}
	}
	for i, a := range f.assess(texts) {
		row := rows[i]
		if isQuestion(row.Ordinal) {
			continue
		}
		passages = append(passages, Passage{
			DocumentID: row.DocumentID, HeaderPath: row.HeaderPath, Content: row.Content,
			StartLine: int(row.StartLine), EndLine: int(row.EndLine), Score: relevance.Score(a.LogOdds),
		})
	}
	return passages, err
}

// vectorParams asks for passages with vectors near the query's. With all, it asks for passages
// without a vector too.
func (f *search) vectorParams(
	levels []catalog.Level, allowed string, limit int, counts passageCounts, all bool,
) db.SearchVectorsParams {
	near, promoted := f.query.scanLevels(levels)
	rows, promotedRows := f.listLength(limit, levels), f.listLength(limit, promoted)
	nearScan, promotedScan := scanLength(limit, rows, near, allowed), scanLength(limit, promotedRows, promoted, allowed)
	return db.SearchVectorsParams{
		ProjectID: f.scope.Tenant.ProjectID, TenantID: f.scope.Tenant.ID, Collection: f.scope.Collection, Filter: allowed,
		Terms: termVector(f.weights), Query: f.vector, ModelID: f.comparedModel(), Meaning: f.builtIn(),
		NearLevels: near, PromotedLevels: promoted,
		NearScan:     f.plan(near, counts.at(near), nearScan, f.graph, all),
		PromotedScan: f.plan(promoted, counts.at(promoted), promotedScan, f.promotedGraph, all),
		Unembedded:   all, EachPassage: f.query.EachPassage,
		WantedRows: int32(limit), MaxRows: rows, PromotedRows: promotedRows,
	}
}

// maxMeanings is how many passages are compared by their built-in vectors, which takes some 4 ms for a thousand.
// With more, these vectors only say how near the passages are that words have found.
const maxMeanings = 5_000

// meaningParams asks for passages with built-in vectors near the query's.
func (f *search) meaningParams(levels []catalog.Level, allowed string, limit int) db.SearchMeaningsParams {
	const passagesPerDocument = 4
	rows := f.listLength(limit, levels)
	return db.SearchMeaningsParams{
		ProjectID: f.scope.Tenant.ProjectID, TenantID: f.scope.Tenant.ID, Collection: f.scope.Collection, Filter: allowed,
		Levels: levels, Terms: termVector(f.weights), Query: f.vector, ModelID: f.comparedModel(), Meaning: *f.meaning,
		EachPassage: f.query.EachPassage, MaxPassages: passagesPerDocument * rows, MaxRows: rows,
	}
}

// builtIn is the query's built-in vector if the search compares it, or else nil.
func (f *search) builtIn() *pgvector.HalfVector {
	if !f.BuiltIn {
		return nil
	}
	return f.meaning
}

// wordParams asks for passages with words of the query, and of the lines of a pasted text.
func (f *search) wordParams(levels []catalog.Level, allowed string, limit int) db.SearchWordsParams {
	// Several passages may be of one document.
	const passagesPerDocument, lineDocuments = 4, 5
	rows := f.listLength(limit, levels)
	params := db.SearchWordsParams{
		ProjectID: f.scope.Tenant.ProjectID, TenantID: f.scope.Tenant.ID, Collection: f.scope.Collection, Filter: allowed,
		Levels: levels, Terms: termVector(f.weights), Query: f.vector, ModelID: f.comparedModel(), Meaning: f.builtIn(),
		EachPassage: f.query.EachPassage, MaxRows: rows,
	}
	// For a name, read several passages of each document: the best one may have only parts of it.
	if len(f.terms.Terms) > 1 && len(strings.Fields(f.query.Text)) == 1 {
		params.EachPassage, params.MaxRows = true, passagesPerDocument*rows
	}
	addLine := func(line int, weights terms.Weighted, rare []int32, passages int32) {
		hashes := make([]string, len(rare))
		for i, term := range rare {
			hashes[i] = strconv.Itoa(int(term))
		}
		params.Lines = append(params.Lines, int32(line))
		params.LineTerms = append(params.LineTerms, termVector(weights))
		params.LineRareTerms = append(params.LineRareTerms, "{"+strings.Join(hashes, ",")+"}")
		params.LinePassages = append(params.LinePassages, passages)
	}
	addLine(-1, f.weights, f.rare, passagesPerDocument*rows)
	for i, line := range f.pasted {
		addLine(i, line.weights, line.rare, lineDocuments)
	}
	return params
}

// plan decides how vectors of documents of some levels are compared, and notes it. It returns
// how many passages a scan looks for, 0 to compare all vectors. It does not know whether a scan
// finds too few documents, so that all vectors are compared after it.
func (f *search) plan(levels []catalog.Level, passages int64, scan int32, graph int64, all bool) int32 {
	if len(levels) == 0 {
		return 0
	}
	plan := ExplainedPlan{Levels: levels, Plan: "exact", Passages: int(passages), Threshold: int(exactThreshold(scan, graph))}
	switch {
	case passages == 0:
		plan.Plan = "nothing"
	case f.vector != nil && !all && plan.Passages > plan.Threshold:
		plan.Plan = "hnsw"
	}
	f.plans = append(f.plans, plan)
	if plan.Plan != "hnsw" {
		return 0
	}
	return scan
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
func (f *search) listLength(limit int, levels []catalog.Level) int32 {
	switch {
	case f.Mode == Vector:
		// Documents with the same text have the same vector. The search may find the newest of them last.
		return int32(limit + 10)
	case slices.Contains(levels, catalog.Standard):
		return int32(max(2*limit, 50))
	default: // documents of the standard level are found too
		return int32(max(2*limit, 25))
	}
}

// scanLength is how many passages a scan of vectors looks for, to fill a list of rows. It is
// larger than the list, because several passages may be of one document and the order of a scan
// is relaxed. It is smaller if few passages are wanted: the scan meets many others for each.
func scanLength(limit int, rows int32, levels []catalog.Level, allowed string) int32 {
	if allowed != allDocuments || len(levels) == 1 && levels[0] != catalog.Standard {
		return max(int32(2*limit), rows, 20)
	}
	return max(int32(4*limit), rows+rows/2, 40)
}

// A search compares vectors in one of two ways. The exact comparison is never wrong. Its cost
// grows with the number of passages. A scan of the HNSW index walks outward from the query
// until it has met enough wanted passages. Its cost grows with how rare they are in the index.

// alwaysExact is the number of passages up to which all are compared, however large the
// collection. That takes at most some 2 ms more than a scan of the index. The two were measured to
// take the same time at 500 passages.
const alwaysExact = 1_000

// scanCost is the cost of meeting a passage in a scan and looking up whether the tenant has it, relative to
// the cost of comparing one of the tenant's passages, as measured with alwaysExact.
const scanCost = 4

// exactThreshold is the number of passages up to which comparing all of them costs less than a scan. To find
// wanted passages of a tenant that has n of the size passages in the index, a scan meets wanted*size/n. That
// costs the same as n comparisons when n*n = scanCost*wanted*size.
func exactThreshold(wanted int32, size int64) int64 {
	return max(alwaysExact, int64(math.Sqrt(scanCost*float64(wanted)*float64(size))))
}

// comparedModel is the model of the query's vector, nil without one.
func (f *search) comparedModel() *int32 {
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
