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

	// Terms are the terms of the query, in its order. Sampled is the number of passages from
	// which their frequencies come. Both are empty for a search by vector.
	Sampled int `json:"sampled_passages"`
	// Passages is how many passages the search could return: the more there are, the more look
	// right by accident. Candidates is the number of documents found, before threshold and limit.
	Passages int             `json:"passages"`
	Terms    []ExplainedTerm `json:"terms"`
	// Identifiers are the names in the query that count as phrases.
	Identifiers []string `json:"identifiers"`
	// Plans say how vectors were compared: one plan is for documents at the standard level, and
	// one for promoted documents. A search by words has no plan.
	Plans      []lookup.Scan `json:"plans"`
	Candidates int           `json:"candidates"`
	// Documents are in the order of the results, up to the query's limit. Documents below its
	// threshold are among them.
	Documents []Hit `json:"-"`
}

// ExplainedTerm is a term of the query.
type ExplainedTerm struct {
	Term string `json:"term"`
	// Frequency is the number of sampled passages that have the term.
	Frequency int `json:"frequency"`
	// Weight is its part of the query's BM25.
	Weight float64 `json:"weight"`
	// Finds says that the term finds passages. Other terms only count in the scores of found passages.
	Finds bool `json:"finds"`
}

// Explain searches as [Searcher.Search] does, and says why it finds what it finds.
func (s *Searcher) Explain(ctx context.Context, scope catalog.Scope, query Query) (Explanation, error) {
	query.Critical = 0
	r, err := s.find(ctx, scope, query)
	if err != nil {
		return Explanation{}, err
	}
	q := r.asked.Question
	explanation := Explanation{
		Coverage: r.coverage, Terms: explainTerms(q), Identifiers: []string{}, Plans: []lookup.Scan{},
		Passages: r.found.Passages, Candidates: len(r.ranked), Documents: r.ranked[:min(query.Limit, len(r.ranked))],
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
