package lint

import (
	"fmt"
	"slices"

	"github.com/compound-docs/compound-docs/internal/docset"
)

const (
	minShare = 0.8 // the Jaccard index of the terms of near-duplicates
	minTerms = 20  // shorter texts are similar by chance
)

// checkDuplicates finds documents with nearly the same terms. A document may repeat a document that it
// supersedes.
func (e *examination) checkDuplicates() {
	var documents []*docset.Document
	var sizes []int            // their numbers of terms
	with := map[string][]int{} // the documents that have a term
	for _, d := range e.set.Documents {
		terms := textTerms(d)
		if len(terms) < minTerms {
			continue
		}
		both := make([]int, len(documents)) // how many terms they have in common
		for term := range terms {
			for _, other := range with[term] {
				both[other]++
			}
			with[term] = append(with[term], len(documents))
		}
		best, likest := minShare, -1
		for other, n := range both {
			likeness := float64(n) / float64(len(terms)+sizes[other]-n)
			if likeness > best || likeness == best && likest < 0 {
				best, likest = likeness, other
			}
		}
		if likest >= 0 {
			other := documents[likest]
			if !slices.Contains(e.later[d.Path], other.Path) && !slices.Contains(e.later[other.Path], d.Path) {
				e.add(d, 1, Warning, "near-duplicate", fmt.Sprintf(
					"%.0f %% of its words are those of %s; merge them, or have the newer one supersede the other", 100*best, other.Path))
			}
		}
		documents, sizes = append(documents, d), append(sizes, len(terms))
	}
}

// textTerms returns the terms of a document without those of its front matter.
func textTerms(d *docset.Document) map[string]bool {
	terms := map[string]bool{}
	for _, p := range d.Passages {
		for _, term := range p.Terms {
			if !p.FrontMatter {
				terms[term] = true
			}
		}
	}
	return terms
}
