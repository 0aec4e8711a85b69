package terms

import (
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/words"
)

// Query is a query in the same terms as documents have.
type Query struct {
	// Terms are distinct, in the order of the text, and at most 256.
	Terms []QueryTerm
	// Identifiers are the names in the text that have punctuation, digits or capitals
	// inside, at most 16. A person who writes one looks for exactly that name.
	Identifiers []Identifier
	// Short is set if the query has at most six words.
	Short bool

	// Sequences of words, as [wordSequence] returns them: the texts in quotation
	// marks, and the whole of a short query.
	quoted []string
	whole  string

	project int32
}

// QueryTerm is a term with the number of its occurrences in the query.
type QueryTerm struct {
	Hash  int32
	Count int
}

// Identifier is a folded name with the hash of the term for the whole name.
type Identifier struct {
	Name string
	Hash int32
}

const (
	shortWords     = 6
	maxIdentifiers = 16
)

// NewQuery analyses a query about a project's passages. A query that consists of stop
// words has no terms.
func NewQuery(project int32, text string) Query {
	q := Query{project: project}
	at := map[int32]int{}
	analyse(text, func(o occurrence) {
		hash := hashTerm(project, o.term)
		i, known := at[hash]
		switch {
		case known:
			q.Terms[i].Count++
		case len(q.Terms) < maxQueryTerms:
			at[hash] = len(q.Terms)
			q.Terms = append(q.Terms, QueryTerm{Hash: hash, Count: 1})
		}
	})
	q.Short = len(q.Terms) > 0 && isShort(text)
	q.Identifiers = identifiers(project, text)
	q.quoted = quotations(text)
	if q.Short {
		q.whole = wordSequence(fold(text))
	}
	return q
}

// isShort reports whether a text has at most shortWords words. In scripts without
// spaces, two characters count as a word.
func isShort(text string) bool {
	halves := 0
	segments := words.FromString(text)
	for halves <= 2*shortWords && segments.Next() {
		segment := segments.Value()
		r, _ := utf8.DecodeRuneInString(segment)
		switch {
		case inPairs(r):
			halves += utf8.RuneCountInString(segment)
		case isWordRune(r):
			halves += 2
		}
	}
	return halves <= 2*shortWords
}

// IDF returns the inverse document frequency of a term that occurs in n of total
// sampled passages: ln(1 + (total − n + ½) / (n + ½)). It is positive for every n
// (Robertson and Zaragoza 2009, in the variant that Lucene uses).
func IDF(n, total int) float64 {
	n = max(n, 0)
	total = max(total, n)
	return math.Log1p((float64(total-n) + 0.5) / (float64(n) + 0.5))
}

// commonShare is the share of passages above which an identifier is common.
const commonShare = 0.05

// WithoutCommonIdentifiers returns the query without the identifiers that occur in more
// than three and more than 5 % of the sampled passages. A question that names GitHub
// does not ask for every page that names it. Such identifiers still count as terms.
func (q Query) WithoutCommonIdentifiers(sampled int, frequency func(term int32) int) Query {
	most := max(3, int(commonShare*float64(sampled)))
	q.Identifiers = slices.DeleteFunc(slices.Clone(q.Identifiers), func(i Identifier) bool {
		return frequency(i.Hash) > most
	})
	return q
}

// Weighted is the query side of BM25.
type Weighted struct {
	// Terms and Weights are a sparse vector: its inner product with the weights of
	// [Document] is a passage's BM25.
	Terms   []int32
	Weights []float32

	sum float64
}

// Weigh weighs each term by its count times its IDF, in the order of Terms. frequency
// returns the number of sampled passages in which a term occurs.
func (q Query) Weigh(sampled int, frequency func(term int32) int) Weighted {
	w := Weighted{Terms: make([]int32, len(q.Terms)), Weights: make([]float32, len(q.Terms))}
	for i, term := range q.Terms {
		weight := float32(float64(term.Count) * IDF(frequency(term.Hash), sampled))
		w.Terms[i], w.Weights[i] = term.Hash, weight
		w.sum += float64(weight)
	}
	return w
}

// linearShare is the share up to which [Weighted.Share] is linear.
const linearShare = 0.7

// Share returns how much of the query's evidence a passage has, in [0,1], from
// its BM25. With x the BM25 over that of the reference, a passage of 150 words
// that has each of the query's terms once, the share is x up to .7, and from there
// approaches 1 smoothly, which it reaches at x = k1+1 = 2.2, the least upper bound
// of all passages: 1 − .3·((2.2 − x) / 1.5)⁵. It grows with x everywhere, so that
// words alone order passages by their BM25, and depends on no other passage.
//
// A passage that has all of the terms has a share of at least .70, whatever its
// length. One that has a part of them has that part of their weights, and more or
// less as it repeats them or is long.
//
// Cutting x off at 1 instead is as good beside a vector (±.005 of nDCG@10), and
// loses .01 to .03 in searches by words alone. BM25 over its upper bound, x/2.2,
// loses .03 of nDCG@10 at equal weight. Counting presence beside frequency
// (BM25+), which would keep partial matches apart from full ones, loses .03 and
// .06.
func (w Weighted) Share(bm25 float64) float64 {
	const upper = k1 + 1
	if w.sum <= 0 || bm25 <= 0 {
		return 0
	}
	x := min(bm25/w.sum, upper)
	if x <= linearShare {
		return x
	}
	return 1 - (1-linearShare)*math.Pow((upper-x)/(upper-linearShare), (upper-linearShare)/(1-linearShare))
}

// quotations returns the sequences of words between quotation marks or
// backticks, each on one line.
func quotations(text string) []string {
	var found []string
	for _, mark := range []string{"`", `"`} {
		for line := range strings.Lines(text) {
			for {
				_, rest, opened := strings.Cut(line, mark)
				inside, after, closed := strings.Cut(rest, mark)
				if !opened || !closed || len(found) == maxIdentifiers {
					break
				}
				if sequence := wordSequence(fold(inside)); len(inside) <= maxCompoundBytes && hasTerm(inside) {
					found = append(found, sequence)
				}
				line = after
			}
		}
	}
	return found
}

func hasTerm(text string) bool {
	found := false
	analyse(text, func(occurrence) { found = true })
	return found
}
