package rank

import (
	"cmp"
	"fmt"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/compound-docs/compound-docs/internal/panics"
	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/rag/relevance"
)

// Grade says how sure a search is that a document answers the query.
type Grade string

// The grades, the best first.
const (
	// Answers means that a document reaches the threshold.
	Answers Grade = "answers"
	// MayAnswer means that no document reaches the threshold, but a document has a score of at least [relevance.Likely],
	// is near the query, or has all words of a broad query in its title and tags.
	MayAnswer Grade = "may_answer"
	// Nothing means that no document may answer.
	Nothing Grade = "nothing"
)

// Strength returns a word for a score: "sure" from [relevance.Sure] on, "likely" from [relevance.Likely] on, or "weak".
func Strength(score float64) string {
	switch {
	case score >= relevance.Sure:
		return "sure"
	case score >= relevance.Likely:
		return "likely"
	default:
		return "weak"
	}
}

const (
	// maxSnippet is the largest length of a snippet, in characters. Ten snippets are a quarter of the cost of a result
	// with ten documents.
	maxSnippet = 160
	// minShown is how many documents the command line shows at least, if a search finds so many.
	minShown = 5
	// A list of documents that may answer has at most maxUnsure documents, and at most maxBroad for a broad query.
	maxUnsure, maxBroad = 5, 20
	// minListed is how many documents are listed, with related documents, if the best document is likely. In six public
	// repositories, of ten best documents with a score of .7 or more, five were wrong.
	minListed = 3
	// A broad query has at most maxBroadTerms terms. Each term is in at least broadShare of the sampled passages, and in
	// minBroad passages or more.
	maxBroadTerms, broadShare, minBroad = 3, .01, 3
)

// Limits say which documents a list may have.
type Limits struct {
	// MinScore is the threshold, in [0,1].
	MinScore float64
	// Documents is the greatest length of the list. Critical is the greatest length of the separate list of critical
	// documents, 0 for no such list.
	Documents, Critical int
}

// Verdict has the documents that a search returns, and says how sure the search is of them.
type Verdict struct {
	// Documents reach the threshold. They are in order of relevance; promoted documents count as more relevant.
	Documents []Hit
	// Critical are the critical documents of the separate list, in order of relevance.
	Critical []Hit
	// Grade is the grade of the best document, critical documents included.
	Grade Grade
	// MayAnswer are documents that may answer, the most relevant first. If Grade is [Answers], they are related documents,
	// and for a broad query also documents with all words of the query in title and tags.
	MayAnswer []Hit
	// Closest are the most relevant documents below the threshold. Only the command line shows them, so that a person sees
	// at least five documents.
	Closest []Hit
}

// Judge grades the documents that [Order] has returned, and cuts the list. passages is how many passages the search
// could return.
func Judge(q Question, ranked []Hit, passages int, limits Limits) Verdict {
	// If an unasked text (see rag.Query) is vague, only a document with this text as its title reaches the threshold.
	isVague := q.Unasked && q.Terms.Vague()
	reached := func(hit Hit) bool { return hit.Score >= limits.MinScore && (hit.titled || !isVague) }
	v, broad := Verdict{Documents: []Hit{}, Grade: Nothing}, q.broad()
	mayAnswer := func(hit Hit) bool { return hit.Score >= relevance.Likely || hit.near || q.isAbout(hit, broad) }
	switch {
	case slices.ContainsFunc(ranked, reached):
		v.Grade = Answers
	case slices.ContainsFunc(ranked, mayAnswer):
		v.Grade = MayAnswer
	default:
		ranked = q.withNear(ranked, passages)
		if slices.ContainsFunc(ranked, mayAnswer) {
			v.Grade = MayAnswer
		}
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
	v.Closest = head(below, max(min(minShown, limits.Documents)-len(v.Documents), 0))
	v.Critical = head(v.Critical, limits.Critical)
	least := 1.0 // the least score of a document that is listed beside a likely document
	missing := min(minListed, limits.Documents) - len(v.Documents) - len(v.Critical)
	if beside := min(missing, len(others)); beside > 0 && (v.Grade == Answers || others[0].Score >= relevance.Likely) {
		least = max(others[beside-1].Score, relevance.Unrelated)
	}
	v.MayAnswer = q.unsure(others, broad, func(hit Hit) bool {
		return v.Grade == MayAnswer && mayAnswer(hit) || v.Grade != Nothing && hit.Score >= least
	})
	for _, list := range [][]Hit{v.Documents, v.Critical, v.Closest, v.MayAnswer[:min(len(v.MayAnswer), maxUnsure)]} {
		onEach(len(list), func(i int) { list[i].Snippet = q.Snippet(list[i].Content) })
	}
	return v
}

// BesideAnswer returns the verdict to show if another collection has an answer. If the best document that may answer is
// weak, this verdict has no documents that may answer.
func (v Verdict) BesideAnswer() Verdict {
	if v.Grade == MayAnswer && v.MayAnswer[0].Score < relevance.Likely {
		v.Grade, v.MayAnswer, v.Closest = Nothing, nil, nil
	}
	return v
}

// broad returns the terms that say what a broad query is about: they are few, and many passages have each of them. It
// returns nil if the query is not broad. Words that the project lacks are left out.
func (q Question) broad() []int32 {
	telling := q.Terms.Telling()
	known := slices.DeleteFunc(slices.Clone(telling), func(term int32) bool { return q.Sample.Frequency(term) == 0 })
	if q.Unasked || q.EachPassage || len(known) == 0 || len(telling) > maxBroadTerms {
		return nil
	}
	least := max(minBroad, int(broadShare*float64(q.Sample.Size)))
	if slices.ContainsFunc(known, func(term int32) bool { return q.Sample.Frequency(term) < least }) {
		return nil
	}
	return known
}

// isAbout reports whether a document has all the terms in its title and tags. Without terms it returns false.
func (q Question) isAbout(hit Hit, terms []int32) bool {
	if len(terms) == 0 {
		return false
	}
	has := q.Terms.TermsOf(hit.Title + "\n" + hit.Tags)
	return !slices.ContainsFunc(terms, func(term int32) bool { return !slices.Contains(has, term) })
}

// unsure returns the list for Verdict.MayAnswer, of documents outside Verdict.Documents and Verdict.Critical. For a
// broad query the list is longer, and prefers documents with the query's terms in title and tags.
func (q Question) unsure(others []Hit, broad []int32, mayAnswer func(Hit) bool) []Hit {
	first, others := withSuccessors(others, func(hit Hit) bool { return q.isAbout(hit, broad) })
	rest, _ := withSuccessors(others, mayAnswer)
	most := maxUnsure
	if len(broad) > 0 {
		most = maxBroad
	}
	listed := head(slices.Concat(first, rest), most)
	slices.SortStableFunc(listed, func(a, b Hit) int { return cmp.Compare(b.Score, a.Score) })
	return listed
}

// withSuccessors divides documents into a list and the rest. If a document is listed, its successor is listed too,
// before the document.
func withSuccessors(hits []Hit, isListed func(Hit) bool) (listed, others []Hit) {
	successors := map[string]bool{}
	for _, hit := range slices.Backward(hits) { // a successor comes before the document, see successorsFirst
		if successors[hit.Path] || isListed(hit) {
			successors[hit.Successor()] = true
			listed = append(listed, hit)
		} else {
			others = append(others, hit)
		}
	}
	slices.Reverse(listed)
	slices.Reverse(others)
	return listed, others
}

// Snippet returns the part of a text that has most of the question's words, in one line.
func (q Question) Snippet(text string) string { return q.Terms.Snippet(text, maxSnippet) }

// head returns the first n hits, never nil.
func head(hits []Hit, n int) []Hit { return slices.Concat([]Hit{}, hits[:min(len(hits), n)]) }

// onEach calls f with 0 to n-1 on all processors, and waits for all calls. If f panics, onEach panics.
func onEach(n int, f func(i int)) {
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i := range n {
		group.Go(func() error {
			return panics.Catch(func() error {
				f(i)
				return nil
			})
		})
	}
	if bug, ok := group.Wait().(*panics.Error); ok { //nolint:errorlint // Catch returns it as it is
		panic(fmt.Sprintf("%v\n%s", bug.Value, bug.Stack))
	}
}
