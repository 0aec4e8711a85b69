package rank

import (
	"slices"
)

// successorsFirst puts each document that another replaces, amends or doubts behind that one, if it is in the list.
// The evidence of the older document counts for the later one too, whose score is at least as high. A query that is
// the title of a document that is only doubted still finds that one first.
func successorsFirst(ranked []Hit) []Hit {
	at := map[string]int{} // the first place of each document
	for i, hit := range slices.Backward(ranked) {
		at[hit.Path] = i
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
		next := hit.Successor()
		if next == "" && !hit.titled {
			next = hit.Newer
		}
		if later, ok := at[next]; ok && next != "" {
			add(later, hit)
		}
		ordered = append(ordered, hit)
	}
	for i := range ranked {
		add(i, ranked[i])
	}
	return ordered
}

// Missing returns the paths of documents that replace or amend one of the first documents of a list and are not in
// it.
func Missing(ranked []Hit, first int) []string {
	paths := make([]string, len(ranked))
	for i, hit := range ranked {
		paths[i] = hit.Path
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
