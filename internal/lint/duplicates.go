package lint

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/compound-docs/compound-docs/internal/docset"
)

const (
	// minShare is the least Jaccard index of the terms of two near-duplicates.
	minShare = 0.8
	// minTerms is the least number of terms of a text that is compared: short ones are
	// alike by chance.
	minTerms = 20
)

// checkDuplicates finds documents whose texts have nearly the same terms. A document and
// the one that it supersedes may.
func (e *examination) checkDuplicates() {
	seen := map[int32][]int{} // the documents that have a term among their rarest, by index in texts
	texts := e.termSets()
	for i, t := range texts {
		common := map[int]bool{}
		// Two sets that are alike share one of so many of the rarest terms of each.
		prefix := len(t.terms) - int(math.Ceil(minShare*float64(len(t.terms)))) + 1
		for _, term := range t.terms[:prefix] {
			for _, other := range seen[term] {
				common[other] = true
			}
			seen[term] = append(seen[term], i)
		}
		best, likest := 0.0, -1
		for other := range common {
			likeness := jaccard(t.terms, texts[other].terms)
			if likeness > best || likeness > 0 && likeness == best && other < likest {
				best, likest = likeness, other
			}
		}
		if likest >= 0 && !replaces(t.document, texts[likest].document) {
			e.alike[t.document] = texts[likest].document
			e.add(t.document, 1, Warning, "near-duplicate", fmt.Sprintf(
				"%.0f %% of its words are those of %s; merge them, or have the newer one supersede the other",
				100*best, texts[likest].document.Path))
		}
	}
}

// termSet is the terms of a document's text as numbers, the rarest first.
type termSet struct {
	document *docset.Document
	terms    []int32
}

// termSets returns the sets of the documents that are compared.
func (e *examination) termSets() []termSet {
	counts := map[string]int{}
	words := map[*docset.Document]map[string]bool{}
	for _, d := range e.set.Documents {
		own := map[string]bool{}
		for _, p := range d.Passages {
			for _, term := range p.Terms {
				if !p.FrontMatter && !own[term] {
					own[term] = true
					counts[term]++
				}
			}
		}
		words[d] = own
	}
	vocabulary := make([]string, 0, len(counts))
	for term := range counts {
		vocabulary = append(vocabulary, term)
	}
	slices.SortFunc(vocabulary, func(a, b string) int { return cmp.Or(counts[a]-counts[b], cmp.Compare(a, b)) })
	rank := make(map[string]int32, len(vocabulary))
	for i, term := range vocabulary {
		rank[term] = int32(i)
	}
	sets := []termSet{}
	for _, d := range e.set.Documents {
		if len(words[d]) < minTerms {
			continue
		}
		set := termSet{document: d}
		for term := range words[d] {
			set.terms = append(set.terms, rank[term])
		}
		slices.Sort(set.terms)
		sets = append(sets, set)
	}
	return sets
}

// jaccard returns the share of the terms of two sorted sets that both have, and 0 if that
// is below minShare.
func jaccard(a, b []int32) float64 {
	sum := len(a) + len(b)
	// So many terms may be in one of them alone.
	spare := sum - 2*int(math.Ceil(minShare*float64(sum)/(1+minShare)))
	both, i, j := 0, 0, 0
	for i < len(a) && j < len(b) && spare >= 0 {
		switch {
		case a[i] == b[j]:
			both++
			i++
			j++
		case a[i] < b[j]:
			spare--
			i++
		default:
			spare--
			j++
		}
	}
	if likeness := float64(both) / float64(sum-both); spare >= 0 && likeness >= minShare {
		return likeness
	}
	return 0
}

// replaces reports whether one of two documents supersedes the other.
func replaces(a, b *docset.Document) bool {
	supersedes := func(a, b *docset.Document) bool {
		return slices.ContainsFunc(a.Targets, func(t docset.Target) bool { return t.Supersedes && t.Document == b })
	}
	return supersedes(a, b) || supersedes(b, a)
}
