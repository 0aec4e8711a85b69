package rank

import (
	"cmp"
	"slices"

	"github.com/compound-docs/compound-docs/rag/calibration"
	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/rag/terms"
)

// Question is a query, together with what a search knows of the documents in its scope.
type Question struct {
	Text  string
	Terms terms.Query
	// Sample has the frequencies of terms in the project.
	Sample *Sample
	// Calibration turns cosines of the model's vectors into log-odds.
	Calibration calibration.Calibration
	// Standings says which documents are in force ("hold") on the day Today, such as 2026-11-26.
	Standings catalog.Standings
	Today     string

	// Named are the paths of the documents whose path or number is the query.
	Named []string

	// EachPassage and Unasked are explained at rag.Query.
	EachPassage, Unasked bool
	// Newer makes [Question.Doubts] look for later documents on the same subject.
	Newer bool

	// ByWords says that the search looks for words. Otherwise the fields below are empty; see [Question.Weigh].
	ByWords bool
	Weights terms.Weighted
	// Rare are the rarest terms of the query. A search by words reads only passages that have one of these terms.
	Rare []int32
	// Lines are the lines of a pasted text that are also searched for one by one.
	Lines []Line
}

// Weigh returns the question with the weights of its words. lines are the lines of a pasted text, nil for none.
func (q Question) Weigh(vocabulary terms.Vocabulary, lines []string) Question {
	q.ByWords = true
	q.Weights = q.Terms.Weigh(q.Sample.Size, q.Sample.Frequency)
	q.Rare = q.Sample.rareTerms(q.Terms, q.Sample.maxMatches(q.Terms))
	q.Lines = tellingLines(vocabulary, lines, q.Sample)
	return q
}

// A pasted log or stack trace has one or two lines that say what is wrong, among many lines that are in every log. So a
// search by words also looks for each line by itself.
const (
	// maxPastedLines is how many pasted lines a search looks for. It takes the lines with the rarest terms.
	maxPastedLines = 40
	// maxLineMatches is how many passages the rare terms of a line may match.
	maxLineMatches = 100
)

// Line is a line of a pasted text.
type Line struct {
	Text    string
	Weights terms.Weighted
	// Rare are the rarest terms of the line. A search by words reads only passages that have one of these terms.
	Rare []int32
	// rarest is how many passages of the sample have the line's rarest term.
	rarest int
}

// tellingLines returns the distinct lines with the rarest terms, the line with the rarest term first.
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
