package rag

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/pgvector/pgvector-go"

	"github.com/compound-docs/compound-docs/db"
)

// promotedBoost multiplies the sort key of documents above the standard level.
// The reported score stays the similarity.
const promotedBoost = 1.5

// Query asks for the documents nearest to a text.
type Query struct {
	Text string
	// DocTypes and Levels filter; empty means all.
	DocTypes []string
	Levels   []Level
	// Limit is the number of documents, at least 1.
	Limit int
	// MinScore is in [0,1].
	MinScore float64
}

// Hit is a document with its best passage.
type Hit struct {
	Path, Title, Summary string
	CharCount            int
	DocType, Date        string
	Level                Level
	// Score is the cosine similarity of the query and the best passage, in [0,1].
	Score float64
	// HeaderPath, StartLine and EndLine say where the best passage is.
	HeaderPath         string
	StartLine, EndLine int

	id int64
}

// Hits is what a search found.
type Hits struct {
	// Documents are in order of relevance; promoted ones count as nearer.
	Documents []Hit
	// Closest is the nearest document when none reached the threshold, and nil
	// otherwise or when the scope holds no document at all.
	Closest *Hit
}

// Search returns the documents nearest to the query.
func (s *Searcher) Search(ctx context.Context, scope Scope, query Query) (Hits, error) {
	vector, err := s.queryVector(ctx, scope.Tenant, query.Text)
	if err != nil {
		return Hits{}, err
	}
	return s.searchVector(ctx, scope, query, vector)
}

// modelTries is how often a query is embedded again because the model was
// replaced meanwhile.
const modelTries = 3

// queryVector embeds the query with the model of the tenant's vectors. A vector
// of another model, one that was pulled just now, is not searched with: the next
// try meets the model that is there then.
func (s *Searcher) queryVector(ctx context.Context, tenant *Tenant, text string) (pgvector.HalfVector, error) {
	text = strings.Join(strings.Fields(text), " ")
	for range modelTries {
		model, _, err := CheckModel(ctx, s.db, s.embedder, tenant)
		if err != nil {
			return pgvector.HalfVector{}, err
		}
		embedding, err := s.embedder.EmbedQuery(ctx, text)
		if err != nil {
			return pgvector.HalfVector{}, err
		}
		if embedding.Digest == model.Digest {
			return pgvector.NewHalfVector(embedding.Vector), nil
		}
	}
	return pgvector.HalfVector{}, ErrModelReplaced()
}

// searchVector ranks standard and promoted documents apart, each by similarity
// alone, and merges them: within either group the boost changes nothing, so the
// first Limit of each hold the first Limit of all.
func (s *Searcher) searchVector(ctx context.Context, scope Scope, query Query, vector pgvector.HalfVector) (Hits, error) {
	var all []Hit
	err := s.db.Snapshot(ctx, "search", func(q *db.Queries) error {
		all = nil
		for _, group := range [][]Level{{Standard}, {Important, Critical}} {
			hits, err := s.nearest(ctx, q, newFilter(scope, query, group), vector)
			if err != nil {
				return err
			}
			all = append(all, hits...)
		}
		return nil
	})
	if err != nil {
		return Hits{}, err
	}
	slices.SortStableFunc(all, func(a, b Hit) int {
		return cmp.Or(cmp.Compare(b.sortKey(), a.sortKey()), cmp.Compare(a.Path, b.Path))
	})
	return cut(all, query), nil
}

func (h Hit) sortKey() float64 {
	if h.Level == Standard {
		return h.Score
	}
	return h.Score * promotedBoost
}

// cut applies threshold and limit.
func cut(ranked []Hit, query Query) Hits {
	hits := Hits{Documents: []Hit{}}
	for _, hit := range ranked {
		if hit.Score >= query.MinScore && len(hits.Documents) < query.Limit {
			hits.Documents = append(hits.Documents, hit)
		}
	}
	if len(hits.Documents) == 0 && len(ranked) > 0 {
		closest := slices.MaxFunc(ranked, func(a, b Hit) int { return cmp.Compare(a.Score, b.Score) })
		hits.Closest = &closest
	}
	return hits
}

// nearest returns the documents that the filter lets through and are nearest to
// the vector.
func (s *Searcher) nearest(ctx context.Context, q *db.Queries, f filter, vector pgvector.HalfVector) ([]Hit, error) {
	if len(f.levels) == 0 {
		return nil, nil
	}
	return runPlan(ctx, s.planner, q, f,
		func() ([]Hit, error) { return searchExact(ctx, q, f.exact(vector)) },
		func() ([]Hit, bool, error) { return searchHNSW(ctx, q, f.hnsw(vector)) })
}

// filter holds the parameters that all search queries share.
type filter struct {
	scope    Scope
	docTypes []string
	levels   []Level
	limit    int32
}

// newFilter lets those of the levels through that the query asks for.
func newFilter(scope Scope, query Query, levels []Level) filter {
	f := filter{scope: scope, levels: slices.Clone(levels), limit: int32(query.Limit)}
	if len(query.Levels) > 0 {
		f.levels = slices.DeleteFunc(f.levels, func(level Level) bool { return !slices.Contains(query.Levels, level) })
	}
	if len(query.DocTypes) > 0 {
		f.docTypes = query.DocTypes
	}
	return f
}

// promoted reports whether no document of the standard level passes.
func (f filter) promoted() bool { return !slices.Contains(f.levels, Standard) }

func (f filter) exact(vector pgvector.HalfVector) db.SearchExactParams {
	return db.SearchExactParams{
		ProjectID: f.scope.Tenant.ProjectID, TenantID: f.scope.Tenant.ID, Collection: f.scope.Collection,
		DocTypes: f.docTypes, Levels: f.levels, Query: vector, MaxDocuments: f.limit,
	}
}

func (f filter) hnsw(vector pgvector.HalfVector) db.SearchHNSWParams {
	return db.SearchHNSWParams{
		ProjectID: f.scope.Tenant.ProjectID, TenantID: f.scope.Tenant.ID, Collection: f.scope.Collection,
		DocTypes: f.docTypes, Levels: f.levels, Query: vector, MaxDocuments: f.limit, MaxPassages: f.candidateLimit(),
	}
}

func searchExact(ctx context.Context, q *db.Queries, params db.SearchExactParams) ([]Hit, error) {
	rows, err := q.SearchExact(ctx, params)
	hits := make([]Hit, len(rows))
	for i, row := range rows {
		hits[i] = newHit(row)
	}
	return hits, err
}

// searchHNSW scans the index until it has enough documents. Several passages of
// one document may be among the nearest, so the number of passages asked for
// grows until they make enough documents. It returns false if the scan ended
// before that, or took so long that comparing all passages costs no more.
func searchHNSW(ctx context.Context, q *db.Queries, params db.SearchHNSWParams) (hits []Hit, enough bool, err error) {
	const growth, most = 2, 1000
	for ; ; params.MaxPassages *= growth {
		rows, err := q.SearchHNSW(ctx, params)
		if err != nil {
			return nil, false, err
		}
		if len(rows) < int(params.MaxDocuments) {
			if len(rows) > 0 && rows[0].Candidates == int64(params.MaxPassages) && params.MaxPassages < most {
				continue
			}
			return nil, false, nil
		}
		hits := make([]Hit, len(rows))
		for i, row := range rows {
			hits[i] = newHit(db.SearchExactRow(row))
		}
		return hits, true, nil
	}
}

func newHit(row db.SearchExactRow) Hit {
	return Hit{
		Path: row.RelativePath, Title: row.Title, Summary: row.Summary, CharCount: int(row.CharCount),
		DocType: row.DocType, Date: row.DocDate, Level: row.PromotionLevel,
		Score: score(row.Distance), HeaderPath: row.HeaderPath,
		StartLine: int(row.StartLine), EndLine: int(row.EndLine), id: row.ID,
	}
}

// score turns pgvector's cosine distance, in [0,2], into a relevance in [0,1].
func score(distance float64) float64 { return min(max(1-distance, 0), 1) }
