package rank

import (
	"cmp"
	"math"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/rag/said"
	"github.com/compound-docs/compound-docs/rag/terms"
	"github.com/compound-docs/compound-docs/rag/wordvec"
)

// A search marks a document if a later document is on the same subject, although neither document says so. The limits
// are chosen with newer.txt and alike.txt in test/holds/testdata, and judged with newer2.txt and alike2.txt.
const (
	// maxDoubted is how many of the first documents are compared with each other.
	maxDoubted = 12
	// Two documents answer equally well if their calibrated log-odds differ by at most nearOdds.
	nearOdds = 4.4
	// Two documents are on the same subject if the likeness of their words is at least minLikeness, and the sum of this
	// likeness and the cosine of their vectors is at least minAlike.
	minLikeness, minAlike = .3, .85
	// Two documents are made from one template if the likeness of their pairs of neighbouring words is at least sameText.
	// If their titles also have an equal word in the same place, a likeness of sameTextAndTitle is enough.
	sameText, sameTextAndTitle = .45, .25
)

// Doubt is a pair of documents on the same subject, by their indexes in a list.
type Doubt struct{ Earlier, Later int }

// Doubts compares the first documents of a list. It returns each pair in which a later document makes it doubtful
// whether an earlier document is up to date. Without q.Newer it returns nil.
func (q Question) Doubts(ranked []Hit) []Doubt {
	if !q.Newer {
		return nil
	}
	ranked = ranked[:min(len(ranked), maxDoubted)]
	words := make([][]weighted[int32], len(ranked)) // of each document, nil before its first comparison
	var doubts []Doubt
	for i := range ranked {
		for j, later := range ranked {
			if !mayDoubt(later, ranked[i]) {
				continue
			}
			for _, k := range []int{i, j} {
				if words[k] == nil {
					words[k] = q.weightedTerms(comparedText(ranked[k]))
				}
			}
			alike := likeness(words[i], words[j])
			if alike < minLikeness {
				continue
			}
			alike += wordvec.Cosine(wordvec.Vector(comparedText(ranked[i])), wordvec.Vector(comparedText(later)))
			if alike >= minAlike && !sameTemplate(ranked[i], later) {
				doubts = append(doubts, Doubt{i, j})
			}
		}
	}
	return doubts
}

// mayDoubt reports whether an earlier document may be out of date because of a later document. Both documents state
// their dates, which are at least a day apart. The date of a file is not enough, because a guide may be kept up to
// date. Both documents hold, neither replaces the other, and the later document's level is not lower. Both answer
// equally well, or the query is the earlier document's title: then the later document only lacks the title's words.
func mayDoubt(later, earlier Hit) bool {
	isNumbered := func(hit Hit) bool { return said.DecisionNumber(hit.Path, hit.Title) != "" }
	if path.Dir(earlier.Path) == path.Dir(later.Path) && isNumbered(earlier) && isNumbered(later) {
		return false // a numbered decision says itself what it replaces
	}
	level := func(hit Hit) int { return slices.Index(catalog.Levels(), hit.Level) }
	return isDay(earlier.Date) && isDay(later.Date) && later.Date > earlier.Date && earlier.Dated && later.Dated &&
		(earlier.titled || later.Form.Scale().Slope*math.Abs(later.LogOdds-earlier.LogOdds) <= nearOdds) &&
		level(later) >= level(earlier) &&
		later.Holds() && later.Status != catalog.Proposed && earlier.Holds() &&
		earlier.Successor() == "" && later.Successor() != earlier.Path
}

func isDay(date string) bool {
	_, err := time.Parse(time.DateOnly, date)
	return err == nil
}

// comparedText returns the part of a document that is compared: its title and its best passage.
func comparedText(hit Hit) string { return hit.Title + "\n" + hit.Content }

// sameTemplate reports whether two documents are made from one template: they have much text in common, and each title
// has a word that the other lacks. Such documents are on different subjects.
func sameTemplate(a, b Hit) bool {
	title, other := strings.Fields(terms.Sequence(a.Title)), strings.Fields(terms.Sequence(b.Title))
	if !hasOther(title, other) || !hasOther(other, title) {
		return false
	}
	least := sameText
	for i := range title {
		if len(title) == len(other) && title[i] == other[i] {
			least = sameTextAndTitle
		}
	}
	return likeness(wordPairs(a.Content), wordPairs(b.Content)) >= least
}

type weighted[T cmp.Ordered] struct {
	word   T
	weight float64
}

// weightedTerms returns the distinct terms of a text, sorted. A rare term weighs more.
func (q Question) weightedTerms(text string) []weighted[int32] {
	var all []weighted[int32]
	for _, term := range q.Terms.TermsOf(text) {
		all = append(all, weighted[int32]{term, terms.IDF(q.Sample.Frequency(term), q.Sample.Size)})
	}
	return all
}

// wordPairs returns the distinct pairs of neighbouring words of a text, sorted. Each pair weighs 1.
func wordPairs(text string) []weighted[string] {
	words := strings.Fields(terms.Sequence(text))
	var pairs []weighted[string]
	for i := 1; i < len(words); i++ {
		pairs = append(pairs, weighted[string]{words[i-1] + " " + words[i], 1})
	}
	slices.SortFunc(pairs, func(a, b weighted[string]) int { return cmp.Compare(a.word, b.word) })
	return slices.Compact(pairs)
}

// hasOther reports whether a title has a word that the other title lacks.
func hasOther(title, other []string) bool {
	return slices.ContainsFunc(title, func(word string) bool { return !slices.Contains(other, word) })
}

// minCompared is how many words each of two texts needs to be compared. Short texts have common words by chance.
const minCompared = 8

// likeness returns how much two texts overlap, in [0,1]: the weight of their common words, divided by the weight of the
// lighter text. The words of each text are distinct and sorted. For a short text likeness returns 0.
func likeness[T cmp.Ordered](one, other []weighted[T]) float64 {
	if min(len(one), len(other)) < minCompared {
		return 0
	}
	var ofOne, ofOther, both float64
	for _, w := range one {
		ofOne += w.weight
	}
	for _, w := range other {
		for len(one) > 0 && one[0].word < w.word {
			one = one[1:]
		}
		ofOther += w.weight
		if len(one) > 0 && one[0].word == w.word {
			both += w.weight
		}
	}
	return both / min(ofOne, ofOther)
}
