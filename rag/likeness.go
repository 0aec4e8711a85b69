package rag

import "github.com/compound-docs/compound-docs/rag/terms"

// SameSubject reports whether two texts are about the same, by the likeness of their words,
// rare ones and names weighing most. It is false after a search that asked no words.
func (h Hits) SameSubject(a, b string) bool {
	sample := h.lookup.sample
	if sample == nil {
		return false
	}
	words := func(text string) []int32 {
		query := terms.NewQuery(h.lookup.scope.Tenant.ProjectID, text).Terms
		hashes := make([]int32, len(query))
		for i, term := range query {
			hashes[i] = term.Hash
		}
		return hashes
	}
	weight := func(term int32) float64 { return terms.IDF(sample.frequency(term), sample.size) }
	return terms.Likeness(words(a), words(b), weight) >= terms.SameSubject
}
