package rag

import (
	"context"
	"slices"

	"github.com/google/uuid"
	"github.com/pgvector/pgvector-go"

	"github.com/compound-docs/compound-docs/db"
	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/rag/terms"
)

// candidate is a passage that a search may return. All searches return the same columns;
// its distance is NaN where it is not known.
type candidate = db.SearchLinesRow

// candidates are the documents that may answer a query, in groups. What the query asks
// for apart, the critical documents, has groups of its own.
type candidates struct {
	words, vectors []*group
	lines          []candidate
}

func newCandidates(query Query) candidates {
	var c candidates
	levels := query.levels()
	switch {
	case query.Documents != nil:
		few := newGroup(query, levels)
		few.unembedded = true
		c.vectors = append(c.vectors, few)
	case len(levels) > 0:
		c.words = append(c.words, newGroup(query, levels))
		for _, levels := range query.vectorGroups(levels) {
			c.vectors = append(c.vectors, newGroup(query, levels))
		}
	}
	if query.Critical > 0 {
		query.Limit, query.DocTypes, query.Documents = query.Critical, nil, nil // a rule holds whatever is asked for
		// By vectors all are found: those too that have no word of the query and no vector.
		all := newGroup(query, []catalog.Level{catalog.Critical})
		all.unembedded = true
		c.words = append(c.words, newGroup(query, all.levels))
		c.vectors = append(c.vectors, all)
	}
	return c
}

// levels returns those of the documents that are not asked for apart.
func (q Query) levels() []catalog.Level {
	return slices.DeleteFunc(catalog.Levels(), func(level catalog.Level) bool {
		return len(q.Levels) > 0 && !slices.Contains(q.Levels, level) || q.Critical > 0 && level == catalog.Critical
	})
}

// docTypes returns those asked for, nil for all.
func (q Query) docTypes() []string {
	if len(q.DocTypes) == 0 {
		return nil
	}
	return q.DocTypes
}

// vectorGroups divides the levels. Vectors of the standard level and of those above it
// are searched apart: promotion changes the order between the two and not within either.
func (q Query) vectorGroups(levels []catalog.Level) [][]catalog.Level {
	standard := slices.Index(levels, catalog.Standard)
	if q.EachPassage || standard < 0 || len(levels) == 1 {
		return [][]catalog.Level{levels}
	}
	return [][]catalog.Level{levels[:standard+1], levels[standard+1:]}
}

// all returns what was found, but for passages that were altered in the database.
func (l *lookup) all() []candidate {
	var all []candidate
	for _, group := range slices.Concat(l.words, l.vectors) {
		all = append(all, group.found...)
	}
	all = append(all, l.lines...)
	return slices.DeleteFunc(all, func(c candidate) bool { return l.isAltered(c.SchemaHash, c.Hash, c.Heading, c.Content) })
}

// isAltered reports whether a passage was altered in the database, and notes it.
func (l *lookup) isAltered(schemaStamp string, hash uuid.UUID, heading, content string) bool {
	altered := catalog.Altered(schemaStamp, hash, heading, content)
	if altered && !slices.Contains(l.altered, hash) {
		l.altered = append(l.altered, hash)
	}
	return altered
}

// findByWords fills the groups of words, with distances if the vector is known.
func (l *lookup) findByWords(ctx context.Context) []func(q *db.Queries) error {
	var queries []func(q *db.Queries) error
	if len(l.counts) == 0 {
		return nil
	}
	if len(l.rare) > 0 {
		for _, group := range l.words {
			queries = append(queries, func(q *db.Queries) error {
				rows, err := q.SearchWords(ctx, l.wordParams(group))
				group.found = candidatesOf(rows)
				return err
			})
		}
	}
	if len(l.pasted) > 0 {
		queries = append(queries, func(q *db.Queries) (err error) {
			l.lines, err = q.SearchLines(ctx, l.lineParams())
			return err
		})
	}
	return queries
}

func (l *lookup) wordParams(g *group) db.SearchWordsParams {
	// Several of the passages may be of one document.
	const factor = 4
	return db.SearchWordsParams{
		ProjectID: l.scope.Tenant.ProjectID, TenantID: l.scope.Tenant.ID, Collection: l.scope.Collection,
		DocTypes: g.docTypes, Levels: g.levels, EachPassage: g.eachPassage,
		Terms: termVector(l.weights), RareTerms: l.rare, MaxPassages: factor * g.limit, MaxRows: g.limit,
		Query: l.vector, ModelID: l.comparedModel(),
	}
}

// comparedModel is the model of the query's vector, nil without one.
func (l *lookup) comparedModel() *int32 {
	if l.vector == nil {
		return nil
	}
	return &l.model.id
}

// termVector is the query's side of BM25.
func termVector(weights terms.Weighted) pgvector.SparseVector {
	elements := make(map[int32]float32, len(weights.Terms))
	for i, term := range weights.Terms {
		elements[term-1] = weights.Weights[i] // pgvector-go counts from 0, PostgreSQL from 1
	}
	return pgvector.NewSparseVectorFromMap(elements, terms.Dimensions)
}

// findByVectors compares vectors, all that can be made in one round trip with the other
// queries, and goes on until enough is found.
func (l *lookup) findByVectors(ctx context.Context, others []func(q *db.Queries) error) error {
	var pending []*group
	for _, group := range l.vectors {
		group.choosePlan(l.facts)
		if group.plan != planNothing && (l.vector != nil || group.unembedded) {
			pending = append(pending, group)
		}
	}
	for queries := others; len(queries)+len(pending) > 0; queries = nil {
		for _, group := range pending {
			queries = append(queries, func(q *db.Queries) error { return l.compare(ctx, q, group) })
		}
		if err := l.searcher.db.Pipeline(ctx, "search", queries...); err != nil {
			return err
		}
		pending = slices.DeleteFunc(pending, (*group).complete)
	}
	return nil
}

func (l *lookup) compare(ctx context.Context, q *db.Queries, g *group) error {
	params := db.SearchExactParams{
		ProjectID: l.scope.Tenant.ProjectID, TenantID: l.scope.Tenant.ID, Collection: l.scope.Collection,
		DocTypes: g.docTypes, Levels: g.levels, EachPassage: g.eachPassage, Unembedded: g.unembedded,
		Query: l.vector, ModelID: l.comparedModel(), Terms: termVector(l.weights), MaxRows: g.limit,
		Documents: g.documents,
	}
	if g.plan == planExact {
		rows, err := q.SearchExact(ctx, params)
		g.found = candidatesOf(rows)
		return err
	}
	rows, err := q.SearchHNSW(ctx, db.SearchHNSWParams{
		ProjectID: params.ProjectID, TenantID: params.TenantID, Collection: params.Collection,
		DocTypes: params.DocTypes, Levels: params.Levels, EachPassage: params.EachPassage,
		Query: *l.vector, ModelID: l.model.id, Terms: params.Terms, MaxPassages: g.nearest, MaxRows: params.MaxRows,
	})
	g.found = candidatesOf(rows)
	return err
}

func candidatesOf[Row db.SearchWordsRow | db.SearchExactRow | db.SearchHNSWRow](rows []Row) []candidate {
	found := make([]candidate, len(rows))
	for i, row := range rows {
		found[i] = candidate(row)
	}
	return found
}

// findDistances fills the distances of what was found by words before the vector was
// known.
func (l *lookup) findDistances(ctx context.Context) []func(q *db.Queries) error {
	lists := [][]candidate{l.lines}
	for _, group := range l.words {
		lists = append(lists, group.found)
	}
	var hashes []uuid.UUID
	for _, candidate := range slices.Concat(lists...) {
		hashes = append(hashes, candidate.Hash)
	}
	if len(hashes) == 0 {
		return nil
	}
	return []func(q *db.Queries) error{func(q *db.Queries) error {
		rows, err := q.SearchDistances(ctx, db.SearchDistancesParams{
			Query: *l.vector, Collection: l.scope.Collection, ProjectID: l.scope.Tenant.ProjectID,
			ModelID: l.model.id, Hashes: hashes,
		})
		if err != nil {
			return err
		}
		known := make(map[uuid.UUID]float64, len(rows))
		for _, row := range rows {
			known[row.Hash] = row.Distance
		}
		for _, list := range lists {
			for i := range list {
				if distance, ok := known[list[i].Hash]; ok {
					list[i].Distance = distance
				}
			}
		}
		return nil
	}}
}
