package rag

import "github.com/compound-docs/compound-docs/rag/terms"

// minCompared is the least number of words of a text that is compared: short ones are
// contained in others by chance.
const minCompared = 8

// Likeness returns how much of one of two texts stands in the other, in [0,1]: the part of
// the weight of its words that the other has, rare words and names weighing most. It is 0
// after a search that asked no words.
func (h Hits) Likeness(a, b string) float64 {
	sample := h.lookup.sample
	if sample == nil {
		return 0
	}
	project := h.lookup.scope.Tenant.ProjectID
	one, other := terms.NewQuery(project, a).Terms, terms.NewQuery(project, b).Terms
	if min(len(one), len(other)) < minCompared {
		return 0
	}
	weight := func(term int32) float64 { return terms.IDF(sample.frequency(term), sample.size) }
	has := make(map[int32]bool, len(one))
	var ofOne, ofOther, both float64
	for _, term := range one {
		has[term.Hash] = true
		ofOne += weight(term.Hash)
	}
	for _, term := range other {
		ofOther += weight(term.Hash)
		if has[term.Hash] {
			both += weight(term.Hash)
		}
	}
	return both / min(ofOne, ofOther)
}
