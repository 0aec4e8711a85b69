package rag

import (
	"cmp"
	"slices"
	"strings"

	"github.com/compound-docs/compound-docs/rag/relevance"
	"github.com/compound-docs/compound-docs/rag/terms"
)

// A pasted log or stack trace has one or two lines that say what is wrong, among many
// that stand everywhere. So its lines are looked for each by itself too, by words.
const (
	// minPastedLines is how many lines make a text a pasted one. A question of three lines
	// is better asked as a whole.
	minPastedLines = 8
	// maxPastedLines is how many are looked for: those with the rarest terms.
	maxPastedLines = 40
	// maxLineMatches is how many passages the rare terms of a line may match.
	maxLineMatches = 100
)

// pastedLine is a line of a pasted text.
type pastedLine struct {
	text    string
	weights terms.Weighted
	rare    []int32
	// rarest is the frequency of the rarest of its terms.
	rarest int
}

// lines returns the lines of the text that are not blank.
func (q Query) lines() (lines []string) {
	for line := range strings.Lines(q.Text) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	return lines
}

// pasted reports whether the text was pasted, as a log or a stack trace.
func (q Query) pasted() bool { return q.Lines || len(q.lines()) >= minPastedLines }

// pastedLines returns the lines of a text that are looked for, none of a text that is not pasted.
func pastedLines(vocabulary terms.Vocabulary, query Query, s *sample) []pastedLine {
	if !query.pasted() {
		return nil
	}
	lines := query.lines()
	var pasted []pastedLine
	for i, line := range lines {
		if slices.Contains(lines[:i], line) {
			continue
		}
		words := vocabulary.Line(line)
		rarest, ok := s.rarest(words)
		if ok && s.matches(rarest) <= maxLineMatches {
			weights := words.Weigh(s.size, s.frequency)
			pasted = append(pasted, pastedLine{line, weights, s.rareTerms(words, maxLineMatches), rarest})
		}
	}
	slices.SortStableFunc(pasted, func(a, b pastedLine) int {
		return cmp.Or(cmp.Compare(a.rarest, b.rarest), cmp.Compare(b.weights.Sum, a.weights.Sum))
	})
	return pasted[:min(len(pasted), maxPastedLines)]
}

// bestLine is the line that says most of a passage.
type bestLine struct {
	text    string
	logOdds float64
}

// bestLines returns the best line of each passage that was found by lines, by the ID of the
// document and the ordinal.
func (f *search) bestLines() map[[2]int64]bestLine {
	best := map[[2]int64]bestLine{}
	for _, row := range f.candidates {
		if row.Line < 0 {
			continue
		}
		line := f.pasted[row.Line]
		phrase, _ := line.weights.Literal(row.Heading, row.Content)
		logOdds := relevance.Evidence{
			Form: relevance.Words, Passages: f.searchable, Phrase: phrase,
			Signals: relevance.Signals{
				Strength: relevance.Strength(row.LineBm25, line.weights.Sum), Share: line.weights.Share(row.LineBm25),
			},
		}.LogOdds()
		key := [2]int64{row.ID, int64(row.Ordinal)}
		if known, ok := best[key]; !ok || logOdds > known.logOdds {
			best[key] = bestLine{line.text, logOdds}
		}
	}
	return best
}
