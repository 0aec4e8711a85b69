package terms

import (
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/words"

	"github.com/compound-docs/compound-docs/rag/wordvec"
)

// Query is the text of a search, analysed into terms as documents are.
type Query struct { //nolint:recvcheck // filled through a pointer, and read by value
	// Terms are distinct, in the order of the text, and at most 256.
	Terms []QueryTerm
	// Identifiers are at most 16 names with punctuation, digits or capitals inside, such as pgx.ErrNoRows. A person who
	// writes such a name looks for exactly that name.
	Identifiers []Identifier
	// IsPrinted says that a program printed the text, such as a line of a log. A question also has common words and names
	// of files that are not its subject, so [Query.Weigh] lowers the weights of such words, but not in a printed text.
	IsPrinted bool

	quoted     []quotation
	whole      string // the [wordSequence] of a short query or of a pasted line, "" for other texts
	vocabulary Vocabulary
}

// QueryTerm is a term with the number of its occurrences in the query.
type QueryTerm struct {
	Name  string
	Hash  int32
	Count int

	rank int // how frequent its word is in English, see [wordvec.Rank]
}

// Identifier is a name in code, folded by [fold]. Hash is the hash of the name. terms also has the hashes of the parts.
type Identifier struct {
	Name string
	Hash int32

	terms   []int32
	isExact bool
}

const maxIdentifiers = 16

// NewQuery analyses a query about a project's passages, as English. A query of only stop words has no terms.
func NewQuery(project int32, text string) Query { return Vocabulary{project: project}.Query(text) }

// Query analyses a query as [NewQuery] does, but in the languages of the vocabulary.
func (v Vocabulary) Query(text string) Query {
	q := Query{vocabulary: v.forQuery(text)}
	q.quoted = q.vocabulary.quotations(text)
	at := map[int32]int{}
	a := q.vocabulary.analyser(text)
	a.identifier = q.addIdentifier
	a.emit = func(o occurrence) {
		hash := hashTerm(v.project, o.term)
		i, known := at[hash]
		switch {
		case known:
			q.Terms[i].Count++
		case len(q.Terms) < maxQueryTerms:
			at[hash] = len(q.Terms)
			q.Terms = append(q.Terms, QueryTerm{Name: o.term, Hash: hash, Count: 1, rank: wordvec.Rank(text[o.start:o.end])})
		}
	}
	a.run()
	if len(q.Terms) > 0 && isShort(text) {
		q.whole = wordSequence(fold(text))
	}
	return q
}

// Vague reports whether a query has at most two terms and no name or quotation. Documents about other subjects often
// have such words too.
func (q Query) Vague() bool {
	const telling = 3
	return len(q.Terms) < telling && len(q.Identifiers)+len(q.quoted) == 0
}

// OneWord reports whether a query is one word without parts. A passage with the query's term has the word or another
// form of the word.
func (q Query) OneWord() bool {
	const around = 2 // one before the word and one behind it
	return len(q.Terms) == 1 && strings.Count(q.whole, " ") == around
}

// InPairs reports whether all terms of the query are pairs of characters, as in Chinese. Texts about other subjects
// often have the same pairs.
func (q Query) InPairs() bool {
	return len(q.Terms) > 0 && !slices.ContainsFunc(q.Terms, func(term QueryTerm) bool {
		r, _ := utf8.DecodeRuneInString(term.Name)
		return !inPairs(r)
	})
}

// askingWords are words with which people ask, and which say nothing about the subject.
var askingWords = strings.Fields(`
	please help find search look tell say show give know knew known learn explain describe summarize list
	need want like get got make made go use handle work thing anything something everything much many
	document documents documentation doc docs note notes information info details memory project`)

// Telling returns the hashes of the query's terms without words such as "help". If the query has only such words, it
// returns the hashes of all terms.
func (q Query) Telling() []int32 {
	var all, telling []int32
	for _, term := range q.Terms {
		all = append(all, term.Hash)
		if !slices.ContainsFunc(askingWords, func(word string) bool { return stem(word) == term.Name }) {
			telling = append(telling, term.Hash)
		}
	}
	if len(telling) == 0 {
		return all
	}
	return telling
}

// TermsOf returns the hashes of the distinct terms of a text of the project, sorted.
func (q Query) TermsOf(text string) []int32 {
	var has []int32
	q.eachTerm(text, func(_ occurrence, hash int32) { has = append(has, hash) })
	slices.Sort(has)
	return slices.Compact(has)
}

// Line analyses a line of a pasted text. [Weighted.Literal] looks for the whole line, however long it is.
func (v Vocabulary) Line(text string) Query {
	q := v.Query(text)
	q.IsPrinted = true
	q.whole = wordSequence(fold(text))
	return q
}

// isShort reports whether a text has at most six words. In scripts without spaces, two characters count as a word.
func isShort(text string) bool {
	const shortWords = 6
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
	total = max(total, n)
	return math.Log1p((float64(total-n) + 0.5) / (float64(n) + 0.5))
}

// An identifier counts as common if the share of the passages that have it exceeds commonShare.
const commonShare = 0.05

// Weighted is a query with a weight for each term.
type Weighted struct {
	// Terms and Weights form a sparse vector. [Document] returns the vector of a passage. The inner product of both
	// vectors is the passage's BM25.
	Terms   []int32
	Weights []float32
	// Sum is the sum of Weights. Known is the share of Sum, in [0,1], that belongs to terms in sampled passages.
	Sum, Known float64
	// Identifiers are the names that must match literally. Each is in at most three, or at most 5 %, of the sampled
	// passages: a question that names GitHub does not ask for every page that names GitHub.
	Identifiers []Identifier

	query Query
}

// Weigh weighs each term by (1 + ln count) times its IDF. Then it lowers the weights of common words, and of
// identifiers in a query with other words. frequency returns how many of the sampled passages have a term.
func (q Query) Weigh(sampled int, frequency func(term int32) int) Weighted {
	w := Weighted{Terms: make([]int32, len(q.Terms)), Weights: make([]float32, len(q.Terms)), query: q}
	for i, term := range q.Terms {
		w.Terms[i] = term.Hash
		w.Weights[i] = float32((1 + math.Log(float64(term.Count))) * IDF(frequency(term.Hash), sampled))
		if !q.IsPrinted {
			w.Weights[i] *= float32(term.telling())
		}
	}
	q.weighIdentifiers(w.Weights, frequency)
	for i, term := range w.Terms {
		w.Sum += float64(w.Weights[i])
		if frequency(term) > 0 {
			w.Known += float64(w.Weights[i])
		}
	}
	if w.Sum > 0 {
		w.Known /= w.Sum
	}
	most := max(3, int(commonShare*float64(sampled)))
	for _, identifier := range q.Identifiers {
		if frequency(identifier.Hash) <= most {
			w.Identifiers = append(w.Identifiers, identifier)
		}
	}
	return w
}

// telling returns which share of its weight a term keeps, in [.7,1]. The share is below 1 for words that are frequent
// in English. Questions use such words whatever the subject. If few passages use such a word, its IDF is too high.
func (t QueryTerm) telling() float64 {
	// On the collection CACM, nDCG@10 of a search by words is .54 with these shares, and .51 without.
	const least, usual, special = .7, 2_500, 7_000
	if t.rank == 0 {
		return 1
	}
	part := math.Log(float64(t.rank)/usual) / math.Log(float64(special)/usual)
	return least + (1-least)*min(max(part, 0), 1)
}

const (
	// namePart limits the sum of the weights of an identifier and its parts. The limit is this sum multiplied by namePart,
	// minus the weights of the query's other words.
	namePart = 1.6
	// A question may mention a file although it asks for something else. So for the name of a file, 1 replaces namePart,
	// and mentionPart multiplies the least weight that the name keeps. On the questions of test/eval/literal that mention
	// a file, nDCG@10 by words is .41, and .34 without mentionPart.
	mentionPart = .7
	// If no sampled passage has a query's only identifier, unknownPart multiplies the weights of the identifier's parts.
	unknownPart = .5
)

// weighIdentifiers lowers the weights of identifiers. An identifier and its parts occur together, so the sum of their
// weights is lowered, but not below the weight of the rarest of these terms. In a short query the sum stays higher,
// because such a query asks for the identifier. In a question of many words, the identifier is one word among others.
func (q Query) weighIdentifiers(weights []float32, frequency func(term int32) int) {
	var sum float64
	for _, weight := range weights {
		sum += float64(weight)
	}
	own := slices.Clone(weights)
	for _, identifier := range q.Identifiers {
		var all, rarest float64
		for i, term := range q.Terms {
			if slices.Contains(identifier.terms, term.Hash) {
				all += float64(own[i])
				rarest = max(rarest, float64(own[i]))
			}
		}
		times := namePart
		if !q.IsPrinted && strings.ContainsAny(identifier.Name, "./") {
			rarest *= mentionPart
			times = 1
		}
		part := float32(max(rarest, min(all, times*all-(sum-all))) / all)
		isUnknown := len(q.Identifiers) == 1 && frequency(identifier.Hash) == 0
		for i, term := range q.Terms {
			switch {
			case !slices.Contains(identifier.terms, term.Hash):
			case isUnknown && term.Hash != identifier.Hash:
				weights[i] = min(weights[i], own[i]*part*unknownPart)
			default:
				weights[i] = min(weights[i], own[i]*part)
			}
		}
	}
}

// linearShare is the share up to which [Weighted.Share] is linear.
const linearShare = 0.7

// Share returns, from the BM25 of a passage, how much of the query's evidence the passage has, in [0,1]. Let x be the
// BM25 divided by the BM25 of a passage of 150 words that has each query term once. The share is x up to .7. From there
// it approaches 1 smoothly: 1 − .3·((3 − x) / 2.3)^(2.3/.3). It is 1 at x = k1+1 = 3, which no passage exceeds. The
// share grows with x everywhere, so a search by words alone orders passages by BM25. Other passages do not matter.
//
// A passage with all of the query's terms has a share of at least .66, whatever its length. A passage with some of the
// terms has the share of these terms in the query's weight: more if the passage repeats terms, less if it is long.
func (w Weighted) Share(bm25 float64) float64 {
	const upper = k1 + 1
	if w.Sum <= 0 || bm25 <= 0 {
		return 0
	}
	x := min(bm25/w.Sum, upper)
	if x <= linearShare {
		return x
	}
	return 1 - (1-linearShare)*math.Pow((upper-x)/(upper-linearShare), (upper-linearShare)/(1-linearShare))
}

// hashes returns the hashes of the terms in a part of a query.
func (v Vocabulary) hashes(text string) []int32 {
	var terms []int32
	a := v.analyser(text)
	a.emit = func(o occurrence) { terms = append(terms, hashTerm(v.project, o.term)) }
	a.run()
	return terms
}

// eachTerm calls emit with the terms of a text of the project, in each of the vocabulary's languages.
func (q Query) eachTerm(text string, emit func(o occurrence, hash int32)) {
	a := q.vocabulary.analyser(text)
	a.inProject, a.asking = nil, ""
	a.emit = func(o occurrence) { emit(o, hashTerm(q.vocabulary.project, o.term)) }
	a.run()
}
