package answer

import (
	"cmp"
	"slices"

	"github.com/compound-docs/compound-docs/rag"
)

// Conflict is two sources that may answer the question differently: they are about the same
// subject, none replaces either, and they are of different dates or doc-types. Whether
// what they say differs is for the reader to see.
type Conflict struct {
	// Later and Earlier are paths, in any order where the dates are the same.
	Later, Earlier string
}

// markConflicts returns the pairs of sources that may contradict each other, and notes them in
// both.
func markConflicts(found rag.Hits, sources []source) []Conflict {
	var conflicts []Conflict
	for i := range sources {
		for j := range i {
			a, b := &sources[i], &sources[j]
			differ := a.Date != b.Date || a.DocType != b.DocType
			if !differ || a.SupersededBy != "" || b.SupersededBy != "" || !sameSubject(found, *a, *b) {
				continue
			}
			later, earlier := a, b
			if a.Date < b.Date {
				later, earlier = b, a
			}
			conflicts = append(conflicts, Conflict{Later: later.Path, Earlier: earlier.Path})
			later.note += "; may contradict ./" + lastRunes(earlier.Path)
			earlier.note += "; may contradict ./" + lastRunes(later.Path)
		}
	}
	return conflicts
}

// sameSubject reports whether the passages of two sources that are most relevant to the
// question are about the same. A source that has nothing to do with the question is about
// nothing.
func sameSubject(found rag.Hits, a, b source) bool {
	if a.brief || b.brief {
		return false
	}
	for _, x := range a.mostRelevant() {
		for _, y := range b.mostRelevant() {
			if found.SameSubject(x, y) {
				return true
			}
		}
	}
	return false
}

// mostRelevant returns up to two passages with what stands above them.
func (s source) mostRelevant() []string {
	const most = 2
	passages := slices.DeleteFunc(slices.Clone(s.passages), func(p rag.Passage) bool { return !hasText(p) })
	slices.SortStableFunc(passages, func(a, b rag.Passage) int { return cmp.Compare(b.Score, a.Score) })
	var texts []string
	for _, p := range passages[:min(len(passages), most)] {
		texts = append(texts, s.Title+"\n"+p.HeaderPath+"\n"+p.Content)
	}
	return texts
}
