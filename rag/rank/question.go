package rank

import (
	"cmp"
	"slices"

	"github.com/compound-docs/compound-docs/rag/calibration"
	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/rag/terms"
)

// Question is a query together with what its scope says of it.
type Question struct {
	Text  string
	Terms terms.Query
	// Sample has the frequencies of terms.
	Sample *Sample
	// Calibration says what the cosines of the model mean.
	Calibration calibration.Calibration
	// Standings says which documents hold on the day Today, such as 2026-11-26.
	Standings catalog.Standings
	Today     string

	// Named are the paths of the documents whose path or number is the query.
	Named []string

	// EachPassage, Unasked: see rag.Query.
	EachPassage, Unasked bool
	// Newer makes [Question.Doubts] look for later documents on the same subject.
	Newer bool

	// ByWords says that words count. Without it the fields below are empty; see [Question.Weigh].
	ByWords bool
	Weights terms.Weighted
	// Rare are the terms that find passages.
	Rare []int32
	// Lines are the lines of a pasted text that are also searched for one by one.
	Lines []Line
}

// Weigh returns the question with the weights of its words. lines are the lines of a pasted text, nil if
// the question is none.
func (q Question) Weigh(vocabulary terms.Vocabulary, lines []string) Question {
	q.ByWords = true
	q.Weights = q.Terms.Weigh(q.Sample.Size, q.Sample.Frequency)
	q.Rare = q.Sample.rareTerms(q.Terms, q.Sample.maxMatches(q.Terms))
	q.Lines = tellingLines(vocabulary, lines, q.Sample)
	return q
}

// A pasted log or stack trace has one or two lines that say what is wrong, among many
// that stand everywhere. So a search also looks for its lines one by one, by words.
const (
	// maxPastedLines is how many lines a search looks for: the ones with the rarest terms.
	maxPastedLines = 40
	// maxLineMatches is how many passages the rare terms of a line may match.
	maxLineMatches = 100
)

// Line is a line of a pasted text.
type Line struct {
	Text    string
	Weights terms.Weighted
	// Rare are the terms that find passages.
	Rare []int32
	// rarest is the frequency of its rarest term in the sample.
	rarest int
}

// tellingLines returns the distinct lines with the rarest terms, the rarest first.
func tellingLines(vocabulary terms.Vocabulary, lines []string, s *Sample) []Line {
	var telling []Line
	for i, text := range lines {
		if slices.Contains(lines[:i], text) {
			continue
		}
		words := vocabulary.Line(text)
		rarest, ok := s.rarest(words)
		if ok && s.matches(rarest) <= maxLineMatches {
			weights := words.Weigh(s.Size, s.Frequency)
			telling = append(telling, Line{text, weights, s.rareTerms(words, maxLineMatches), rarest})
		}
	}
	slices.SortStableFunc(telling, func(a, b Line) int {
		return cmp.Or(cmp.Compare(a.rarest, b.rarest), cmp.Compare(b.Weights.Sum, a.Weights.Sum))
	})
	return telling[:min(len(telling), maxPastedLines)]
}
