package rag

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

// reached reports whether a document reaches the threshold. For a vague text that nobody searches
// for, only the document with that title does.
func (f *search) reached(hit *Hit) bool {
	return hit.Score >= f.query.MinScore && (hit.titled || !f.query.Unasked || !f.terms.Vague())
}

// subject returns the terms that the title or tags of a document must have for it to be named although it
// does not reach the threshold. If another document does, these are all terms of a broad query; otherwise it
// is the rarest term. Of a short query, words that the project lacks do not count.
func (f *search) subject(answered bool) (subject []int32, broad bool) {
	telling := f.terms.Telling()
	if f.query.Unasked || f.query.EachPassage || len(telling) == 0 {
		return nil, false
	}
	frequent := max(minBroad, int(broadShare*float64(f.sample.size)))
	if known := f.known(telling); len(telling) <= maxBroadTerms && len(known) > 0 {
		telling = known
	}
	slices.SortStableFunc(telling, func(a, b int32) int { return cmp.Compare(f.sample.frequency(a), f.sample.frequency(b)) })
	broad = len(telling) <= maxBroadTerms && f.sample.frequency(telling[0]) >= frequent
	switch {
	case !answered:
		return telling[:1], broad
	case broad:
		return telling, broad
	default:
		return nil, broad
	}
}

// known returns the terms that the project has.
func (f *search) known(all []int32) []int32 {
	return slices.DeleteFunc(slices.Clone(all), func(term int32) bool { return f.sample.frequency(term) == 0 })
}

// leastScore is the least score of a document that may answer, whatever its title.
func (f *search) leastScore() float64 {
	form := relevance.Both
	switch {
	case f.Mode == Vector, f.vector != nil && relevance.MeaningDecides(f.weights.Known):
		form = relevance.Meaning
	case f.BuiltIn && f.vector == nil:
		form = relevance.BuiltIn
	}
	return relevance.MayAnswer(f.searchable, form)
}

// hits grades the documents, which are in order of relevance, and applies the limits.
func (f *search) hits(ranked []*Hit) Hits {
	subject, broad := f.subject(slices.ContainsFunc(ranked, f.reached))
	about := map[int64]bool{} // the documents that have the subject in title and tags
	for _, hit := range ranked {
		about[hit.ID] = len(subject) > 0 && f.terms.HasAll(hit.Title+"\n"+hit.Tags, subject)
	}
	grade, least := Nothing, f.leastScore()
	var documents, critical, unsure, closest, others []*Hit
	for _, hit := range ranked {
		switch {
		case f.reached(hit):
			grade = Answers
		case grade == Nothing && (hit.Score >= least || about[hit.ID]):
			grade = MayAnswer
		}
		switch {
		case f.query.Critical > 0 && hit.Level == catalog.Critical:
			if len(critical) < f.query.Critical {
				critical = append(critical, hit)
			}
		case f.reached(hit) && len(documents) < f.query.Limit:
			documents = append(documents, hit)
		default:
			others = append(others, hit)
		}
	}
	slices.SortStableFunc(others, func(a, b *Hit) int { return cmp.Compare(b.Score, a.Score) })
	for _, hit := range others {
		if !f.reached(hit) && len(documents)+len(closest) < minShown {
			closest = append(closest, hit)
		}
	}
	most := maxUnsure
	if broad { // documents about the subject come first, and are many
		most = maxBroad
		slices.SortStableFunc(others, func(a, b *Hit) int { return compareTrue(about[a.ID], about[b.ID]) })
	}
	for _, hit := range others {
		named := about[hit.ID] || grade == MayAnswer && hit.Score >= least
		if named && len(unsure) < most {
			unsure = append(unsure, hit)
		}
	}
	// A long list of documents that may answer is shown without snippets.
	quoted := slices.Concat(critical, documents, unsure[:min(len(unsure), maxUnsure)])
	quoted = append(quoted, slices.DeleteFunc(slices.Clone(closest), func(hit *Hit) bool { return slices.Contains(quoted, hit) })...)
	onEach(len(quoted), func(i int) { f.addSnippet(quoted[i]) })
	return Hits{
		Documents: values(documents), Critical: values(critical), MayAnswer: values(unsure), Closest: values(closest),
		Grade: grade, Coverage: f.Coverage, of: f,
	}
}

func values(hits []*Hit) []Hit {
	copied := make([]Hit, len(hits))
	for i, hit := range hits {
		copied[i] = *hit
	}
	return copied
}
