package rank

import (
	"cmp"
	"slices"

	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/rag/relevance"
)

// Grade says how sure a search is that a document answers the query.
type Grade string

// The grades, from the best one on.
const (
	// Answers is for a document that reaches the threshold.
	Answers Grade = "answers"
	// MayAnswer is for a document below it that has a score of [relevance.MayAnswer], or that has the
	// main word of the query in its title or tags.
	MayAnswer Grade = "may_answer"
	// Nothing is for every other document.
	Nothing Grade = "nothing"
)

// Strength says in a word how likely a document answers: sure from the threshold on, likely from
// [relevance.Likely] on, or weak.
func Strength(score, threshold float64) string {
	switch {
	case score >= threshold:
		return "sure"
	case score >= relevance.Likely:
		return "likely"
	default:
		return "weak"
	}
}

const (
	// maxSnippet is the length of a snippet, in characters: ten of them are a quarter of
	// what an answer with ten documents costs.
	maxSnippet = 160
	// minShown is how many documents a person sees, if so many are found at all.
	minShown = 5
	// maxUnsure is how many documents that may answer are named, and maxBroad how many for a broad query.
	maxUnsure, maxBroad = 5, 20
	// A broad query has at most maxBroadTerms terms. At least broadShare of the passages, and
	// minBroad of them, have each term.
	maxBroadTerms, broadShare, minBroad = 3, .01, 3
)

// Limits say which documents a list may have.
type Limits struct {
	// MinScore is the threshold, in [0,1].
	MinScore float64
	// Documents is the length of the list. Critical is how many critical documents have a list of their own.
	Documents, Critical int
}

// Verdict is a search's list of documents, and how sure it is of them.
type Verdict struct {
	// Documents are in order of relevance; promoted ones count as more relevant.
	Documents []Hit
	// Critical are those that have a list of their own, in the same order.
	Critical []Hit
	// Grade is that of the best document, critical ones included.
	Grade Grade
	// MayAnswer are documents with this grade, the most relevant ones first, if Grade is MayAnswer.
	// If others answer a broad query, they are those that have all its words in title and tags.
	MayAnswer []Hit
	// Closest are the most relevant documents below the threshold, which with Documents are five.
	Closest []Hit
	// MayAnswerScore is the least score of a document that may answer, whatever its title.
	MayAnswerScore float64
}

// Judge grades the documents that [Order] has returned, and cuts the list. A search may return as many passages
// as passages says.
func Judge(q Question, ranked []Hit, passages int, limits Limits) Verdict {
	reached := func(hit Hit) bool { return q.reached(hit, limits.MinScore) }
	answered := slices.ContainsFunc(ranked, reached)
	subject := q.subject(answered)
	v := Verdict{Documents: []Hit{}, Grade: Nothing, MayAnswerScore: relevance.MayAnswer(passages, q.form())}
	mayAnswer := func(hit Hit) bool { return hit.Score >= v.MayAnswerScore || q.isAbout(hit, subject.terms) }
	switch {
	case answered:
		v.Grade = Answers
	case slices.ContainsFunc(ranked, mayAnswer):
		v.Grade = MayAnswer
	}
	others := []Hit{}
	for _, hit := range ranked {
		switch {
		case limits.Critical > 0 && hit.Level == catalog.Critical:
			v.Critical = append(v.Critical, hit)
		case reached(hit) && len(v.Documents) < limits.Documents:
			v.Documents = append(v.Documents, hit)
		default:
			others = append(others, hit)
		}
	}
	slices.SortStableFunc(others, func(a, b Hit) int { return cmp.Compare(b.Score, a.Score) })
	below := slices.DeleteFunc(slices.Clone(others), reached)
	v.Closest = head(below, max(minShown-len(v.Documents), 0))
	v.Critical = head(v.Critical, limits.Critical)
	v.MayAnswer = q.unsure(others, subject, v)
	q.addSnippets(v)
	return v
}

// reached reports whether a document reaches the threshold. For a vague text that nobody searches
// for, only the document with that title does.
func (q Question) reached(hit Hit, threshold float64) bool {
	return hit.Score >= threshold && (hit.titled || !q.Unasked || !q.Terms.Vague())
}

// subject is what a query is about.
type subject struct {
	// terms are those that the title or tags of a document must have for it to be named although it does not
	// reach the threshold.
	terms []int32
	// broad says that many documents are about it.
	broad bool
}

// subject returns what the query is about. If a document reaches the threshold, these are all terms of a broad
// query; otherwise it is the rarest term. Of a short query, words that the project lacks do not count.
func (q Question) subject(answered bool) subject {
	telling := q.Terms.Telling()
	if q.Unasked || q.EachPassage || len(telling) == 0 {
		return subject{}
	}
	known := slices.DeleteFunc(slices.Clone(telling), func(term int32) bool { return q.Sample.Frequency(term) == 0 })
	if len(telling) <= maxBroadTerms && len(known) > 0 {
		telling = known
	}
	slices.SortStableFunc(telling, func(a, b int32) int { return cmp.Compare(q.Sample.Frequency(a), q.Sample.Frequency(b)) })
	frequent := max(minBroad, int(broadShare*float64(q.Sample.size)))
	broad := len(telling) <= maxBroadTerms && q.Sample.Frequency(telling[0]) >= frequent
	switch {
	case !answered:
		return subject{telling[:1], broad}
	case broad:
		return subject{telling, broad}
	default:
		return subject{}
	}
}

// isAbout reports whether a document has all the terms in title and tags. No document is about none.
func (q Question) isAbout(hit Hit, terms []int32) bool {
	return len(terms) > 0 && q.Terms.HasAll(hit.Title+"\n"+hit.Tags, terms)
}

// unsure returns the documents that may answer, of those that are not listed. For a broad query the documents
// about its subject come first, and are many.
func (q Question) unsure(others []Hit, s subject, v Verdict) []Hit {
	var first, named []Hit
	for _, hit := range others {
		isAbout := q.isAbout(hit, s.terms)
		switch {
		case isAbout && s.broad:
			first = append(first, hit)
		case isAbout, v.Grade == MayAnswer && hit.Score >= v.MayAnswerScore:
			named = append(named, hit)
		}
	}
	most := maxUnsure
	if s.broad {
		most = maxBroad
	}
	return head(slices.Concat(first, named), most)
}

// form is the kind of evidence that the search has.
func (q Question) form() relevance.Form {
	switch {
	case !q.ByWords, q.ByModel && relevance.MeaningDecides(q.Weights.Known):
		return relevance.Meaning
	case q.BuiltIn && !q.ByModel:
		return relevance.BuiltIn
	default:
		return relevance.Both
	}
}

// addSnippets adds the snippets of all documents, except that a long list of documents that may answer is shown
// without.
func (q Question) addSnippets(v Verdict) {
	for _, list := range [][]Hit{v.Documents, v.Critical, v.Closest, v.MayAnswer[:min(len(v.MayAnswer), maxUnsure)]} {
		onEach(len(list), func(i int) { list[i].Snippet = q.Snippet(list[i].Content) })
	}
}

// Snippet returns the part of a text that has most of the question's words, in one line.
func (q Question) Snippet(text string) string { return q.Terms.Snippet(text, maxSnippet) }

// head returns the first n hits, never nil.
func head(hits []Hit, n int) []Hit { return slices.Concat([]Hit{}, hits[:min(len(hits), n)]) }
