package rag

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"github.com/compound-docs/compound-docs/db"
)

// candidate is a passage that comes into question. All searches return the same
// columns; its distance is NaN where it is not known.
type candidate = db.SearchWordsRow

// candidates returns what the searches have found for the list.
func (l *list) candidates() []candidate {
	all := slices.Clone(l.found)
	for _, vectors := range l.vectors {
		all = append(all, vectors.found...)
	}
	return all
}

func (l *lookup) wordQueries(ctx context.Context) []func(q *db.Queries) error {
	queries := make([]func(q *db.Queries) error, 0, len(l.lists))
	if len(l.rare) == 0 {
		return nil
	}
	for _, list := range l.lists {
		queries = append(queries, func(q *db.Queries) (err error) {
			list.found, err = q.SearchWords(ctx, l.wordParams(list.words))
			return err
		})
	}
	return queries
}

func (l *lookup) wordParams(f filter) db.SearchWordsParams {
	// Several of the passages may be of one document.
	const factor = 4
	params := db.SearchWordsParams{
		ProjectID: l.scope.Tenant.ProjectID, TenantID: l.scope.Tenant.ID, Collection: l.scope.Collection,
		DocTypes: f.docTypes, Levels: f.levels, EachPassage: f.eachPassage,
		Terms: l.termVector(), RareTerms: l.rare, MaxPassages: factor * f.limit, MaxRows: f.limit,
	}
	if l.vector != nil {
		params.Query, params.ModelID = l.vector, l.modelID
	}
	return params
}

// find fills the lists, their words if they are not found yet, and the distances of
// what was found by words.
func (l *lookup) find(ctx context.Context, wordsFound bool) error {
	var queries []func(q *db.Queries) error
	switch {
	case wordsFound:
		queries = l.distanceQueries(ctx)
	case l.mode != Vector:
		queries = l.wordQueries(ctx)
	}
	var pending []*vectorList
	for _, list := range l.lists {
		for _, vectors := range list.vectors {
			if vectors.begin(l.vector != nil) {
				pending = append(pending, vectors)
			}
		}
	}
	for len(queries)+len(pending) > 0 {
		for _, vectors := range pending {
			queries = append(queries, func(q *db.Queries) error { return l.searchVectors(ctx, q, vectors) })
		}
		if err := l.searcher.db.Pipeline(ctx, "search", queries...); err != nil {
			return err
		}
		queries = nil
		pending = slices.DeleteFunc(pending, (*vectorList).complete)
	}
	return nil
}

// distanceQueries fill the distances of what was found by words.
func (l *lookup) distanceQueries(ctx context.Context) []func(q *db.Queries) error {
	var hashes []uuid.UUID
	for _, list := range l.lists {
		for _, row := range list.found {
			hashes = append(hashes, row.Hash)
		}
	}
	if len(hashes) == 0 {
		return nil
	}
	return []func(q *db.Queries) error{func(q *db.Queries) error {
		rows, err := q.SearchDistances(ctx, db.SearchDistancesParams{
			Query: *l.vector, Collection: l.scope.Collection, ProjectID: l.scope.Tenant.ProjectID,
			ModelID: *l.modelID, Hashes: hashes,
		})
		if err != nil {
			return err
		}
		distances := make(map[uuid.UUID]float64, len(rows))
		for _, row := range rows {
			distances[row.Hash] = row.Distance
		}
		for _, list := range l.lists {
			for i, row := range list.found {
				if distance, ok := distances[row.Hash]; ok {
					list.found[i].Distance = distance
				}
			}
		}
		return nil
	}}
}

// vectorList is the documents of some levels that are nearest to the query.
type vectorList struct {
	filter filter
	// all has documents without a vector in it too, behind the others. Such a list is
	// filled without a query vector as well, and not planned.
	all      bool
	planning *planning

	plan searchPlan
	// passages is how many a scan looks for.
	passages int32
	found    []candidate
}

// begin reports whether there is anything to search.
func (v *vectorList) begin(hasVector bool) bool {
	v.passages = v.filter.candidateLimit()
	switch {
	case v.all:
		v.plan = planExact
	case hasVector:
		v.plan = v.planning.plan()
	}
	return v.plan != planNothing
}

func (l *lookup) searchVectors(ctx context.Context, q *db.Queries, v *vectorList) error {
	params := db.SearchExactParams{
		ProjectID: l.scope.Tenant.ProjectID, TenantID: l.scope.Tenant.ID, Collection: l.scope.Collection,
		DocTypes: v.filter.docTypes, Levels: v.filter.levels, EachPassage: v.filter.eachPassage, Unembedded: v.all,
		Query: l.vector, ModelID: l.modelID, Terms: l.termVector(), MaxRows: v.filter.limit,
	}
	if v.plan == planExact {
		rows, err := q.SearchExact(ctx, params)
		v.found = candidatesOf(rows)
		return err
	}
	rows, err := q.SearchHNSW(ctx, db.SearchHNSWParams{
		ProjectID: params.ProjectID, TenantID: params.TenantID, Collection: params.Collection,
		DocTypes: params.DocTypes, Levels: params.Levels, EachPassage: params.EachPassage,
		Query: *l.vector, ModelID: *l.modelID, Terms: params.Terms, MaxPassages: v.passages, MaxRows: params.MaxRows,
	})
	v.found = candidatesOf(rows)
	return err
}

func candidatesOf[Row db.SearchExactRow | db.SearchHNSWRow](rows []Row) []candidate {
	candidates := make([]candidate, len(rows))
	for i, row := range rows {
		candidates[i] = candidate(row)
	}
	return candidates
}

// complete reports whether enough was found; otherwise it changes how the search goes
// on. Several passages of one document may be among the nearest, so the number of
// passages that a scan looks for grows until they make enough documents. If the scan
// ended before that, at hnsw.max_scan_tuples, or took so long that comparing all
// passages costs no more, these are compared.
func (v *vectorList) complete() bool {
	const growth, most = 2, 1000
	switch {
	case v.plan == planExact || len(v.found) >= int(v.filter.wanted):
		return true
	case len(v.found) > 0 && v.found[0].Candidates == int64(v.passages) && v.passages < most:
		v.passages *= growth
	default:
		v.plan = planExact
	}
	return false
}
