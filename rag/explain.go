package rag

import (
	"context"
	"slices"

	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/rag/lookup"
	"github.com/compound-docs/compound-docs/rag/rank"
)

// Explanation says how a search has found and ranked documents.
type Explanation struct {
	Coverage `json:"-"`

	// Sampled is the number of passages in which terms were counted. In a search by vectors alone, it is 0 and Terms is
	// empty.
	Sampled int `json:"sampled_passages"`
	// Passages is how many passages the search could return. If there are many, some of them look right by accident. Terms
	// are the terms of the query, in order.
	Passages int             `json:"passages"`
	Terms    []ExplainedTerm `json:"terms"`
	// Identifiers are the names of code in the query, in lower case. A passage that has such a name letter by letter
	// counts more.
	Identifiers []string `json:"identifiers"`
	// Plans say how vectors were compared: one plan is for documents at the standard level, and one for promoted
	// documents. A search by words has no plan. Candidates is the number of documents found, before threshold and limit.
	Plans      []lookup.Scan `json:"plans"`
	Candidates int           `json:"candidates"`
	// Documents are the best documents in order, up to the query's limit. Some may be below its threshold.
	Documents []Hit `json:"-"`
}

// ExplainedTerm is a term of the query.
type ExplainedTerm struct {
	Term string `json:"term"`
	// Frequency is the number of sampled passages that have the term.
	Frequency int `json:"frequency"`
	// Weight is the weight of the term in the query. BM25, the score by words, is a sum over the terms.
	Weight float64 `json:"weight"`
	// Finds says that the search looks for passages with the term. Other terms only raise the scores of these passages.
	Finds bool `json:"finds"`
}

// Explain makes the search of [Searcher.Search], and says how it found and ranked documents. It ignores Query.Critical,
// so critical documents are results like any other.
func (s *Searcher) Explain(ctx context.Context, scope catalog.Scope, query Query) (Explanation, error) {
	query.Critical = 0
	r, ranked, err := s.find(ctx, scope, query)
	if err != nil {
		return Explanation{}, err
	}
	q := r.asked.Question
	explanation := Explanation{
		Coverage: r.coverage, Terms: explainTerms(q), Identifiers: []string{}, Plans: []lookup.Scan{},
		Passages: r.found.Passages, Candidates: len(ranked), Documents: ranked[:min(query.Limit, len(ranked))],
	}
	if q.ByWords {
		explanation.Sampled = q.Sample.Size
	}
	if r.coverage.Mode != Lexical {
		explanation.Plans = append(explanation.Plans, r.found.Scans...)
	}
	for _, identifier := range q.Weights.Identifiers {
		explanation.Identifiers = append(explanation.Identifiers, identifier.Name)
	}
	for i := range explanation.Documents {
		explanation.Documents[i].Snippet = q.Snippet(explanation.Documents[i].Content)
	}
	return explanation, nil
}

func explainTerms(q rank.Question) []ExplainedTerm {
	explained := []ExplainedTerm{}
	if !q.ByWords {
		return explained
	}
	for i, term := range q.Terms.Terms {
		explained = append(explained, ExplainedTerm{
			Term: term.Name, Frequency: q.Sample.Frequency(term.Hash), Weight: float64(q.Weights.Weights[i]),
			Finds: slices.Contains(q.Rare, term.Hash),
		})
	}
	return explained
}
