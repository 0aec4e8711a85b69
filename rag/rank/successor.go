package rank

import (
	"slices"

	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/rag/relevance"
)

// successorsFirst puts the successor of each document before the document, if both are in the list. The evidence of the
// older document counts for its successor too, so the successor's score is at least as high.
func successorsFirst(ranked []Hit) []Hit {
	at := map[string]int{} // the first index of each path
	for i, hit := range slices.Backward(ranked) {
		for _, path := range hit.paths {
			at[path] = i
		}
	}
	ordered, done := make([]Hit, 0, len(ranked)), make([]bool, len(ranked))
	var add func(i int, older Hit)
	add = func(i int, older Hit) {
		if done[i] {
			return
		}
		done[i] = true
		hit := ranked[i]
		hit.LogOdds, hit.Key = max(hit.LogOdds, older.LogOdds), max(hit.Key, older.LogOdds)
		hit.Score = max(hit.Score, older.Score)
		if later, ok := at[hit.Successor()]; ok {
			add(later, hit)
		}
		ordered = append(ordered, hit)
	}
	for i := range ranked {
		add(i, ranked[i])
	}
	return ordered
}

// presentFirst puts documents of the past, see isPast, behind the first document that is in force and likely to answer.
// It lowers their scores to at most the score of that document. A document that the query names keeps its place.
func presentFirst(ranked []Hit) []Hit {
	first := slices.IndexFunc(ranked, func(hit Hit) bool { return hit.Holds() && !hit.isPast() && hit.Score >= relevance.Likely })
	for i := range ranked[:max(first, 0)] {
		if hit := &ranked[i]; hit.isPast() && !hit.titled {
			hit.LogOdds, hit.Key = min(hit.LogOdds, ranked[first].LogOdds), min(hit.Key, ranked[first].Key)
			hit.Score = min(hit.Score, ranked[first].Score)
		}
	}
	slices.SortStableFunc(ranked[:first+1], func(a, b Hit) int {
		return compareTrue(b.isPast() && !b.titled, a.isPast() && !a.titled)
	})
	return ranked
}

// isPast reports whether a document no longer holds or is a changelog, and has no successor.
func (h Hit) isPast() bool {
	return slices.Contains([]catalog.Status{catalog.History, catalog.Deprecated, catalog.Expired, catalog.Replaced}, h.Status) &&
		h.Successor() == ""
}

// Missing looks at the first documents of a list. It returns the paths of documents that replace or amend one of the
// first documents and are not in the list.
func Missing(ranked []Hit, first int) []string {
	var paths []string
	for _, hit := range ranked {
		paths = append(paths, hit.paths...)
	}
	var missing []string
	for _, hit := range ranked[:min(first, len(ranked))] {
		for _, later := range []string{hit.SupersededBy, hit.AmendedBy} {
			if later != "" && !slices.Contains(paths, later) && !slices.Contains(missing, later) {
				missing = append(missing, later)
			}
		}
	}
	return missing
}
