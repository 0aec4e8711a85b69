package rag

import (
	"context"
	"slices"

	"github.com/compound-docs/compound-docs/rag/catalog"
)

// Explanation says how a search has found and ranked documents.
type Explanation struct {
	Coverage `json:"-"`

	// Terms are the terms of the query, in its order. Sampled is the number of passages that
	// their frequencies come from. Both are empty for a search by vector.
	Sampled int `json:"sampled_passages"`
	// Passages is how many the search may return: the more, the more look right by
	// accident. Candidates is the number of documents found, before threshold and limit.
	Passages int             `json:"passages"`
	Terms    []ExplainedTerm `json:"terms"`
	// Identifiers are the names in the query that count as phrases.
	Identifiers []string `json:"identifiers"`
	// Plans say how vectors were compared: one plan is for documents at the standard level, and
	// one for promoted documents. A search by words has no plan.
	Plans      []ExplainedPlan `json:"plans"`
	Candidates int             `json:"candidates"`
	// Documents are in the order of the results, up to the query's limit, those below its
	// threshold among them.
	Documents []Hit `json:"-"`
}

// ExplainedTerm is a term of the query.
type ExplainedTerm struct {
	Term string `json:"term"`
	// Frequency is the number of sampled passages that have the term.
	Frequency int `json:"frequency"`
	// Weight is its part of the query's BM25.
	Weight float64 `json:"weight"`
	// Finds says that passages were found by the term. The others count in their scores.
	Finds bool `json:"finds"`
}

// ExplainedPlan says how the vectors of documents of some levels were compared.
type ExplainedPlan struct {
	Levels []catalog.Level `json:"promotion_levels"`
	// Plan is "exact", "hnsw" or "nothing".
	Plan string `json:"plan"`
	// Passages have the levels. Up to Threshold all of them are compared.
	Passages  int `json:"passages"`
	Threshold int `json:"exact_up_to"`
}

// Cosine is the similarity of the vectors of the query and the passage, nil if they were not compared. They are
// the built-in ones where the model's are missing.
func (h Hit) Cosine() *float64 {
	switch {
	case h.compared:
		return new(1 - h.distance)
	case h.alike:
		return new(h.likeness)
	default:
		return nil
	}
}

// Explain searches as [Searcher.Search] does, and says why it finds what it finds.
func (s *Searcher) Explain(ctx context.Context, scope catalog.Scope, query Query) (Explanation, error) {
	query.Critical = 0
	found, err := s.find(ctx, scope, query, modelTries)
	if err != nil {
		return Explanation{}, err
	}
	ranked := found.ranked()
	explanation := Explanation{
		Coverage: found.Coverage, Terms: found.explainTerms(), Identifiers: []string{}, Plans: []ExplainedPlan{},
		Passages: found.searchable, Candidates: len(ranked), Documents: []Hit{},
	}
	if found.Mode != Vector {
		explanation.Sampled = found.sample.size
	}
	if found.Mode != Lexical {
		explanation.Plans = append(explanation.Plans, found.plans...)
	}
	for _, identifier := range found.weights.Identifiers {
		explanation.Identifiers = append(explanation.Identifiers, identifier.Name)
	}
	for _, hit := range ranked[:min(query.Limit, len(ranked))] {
		found.addSnippet(hit)
		explanation.Documents = append(explanation.Documents, *hit)
	}
	return explanation, nil
}

func (f *search) explainTerms() []ExplainedTerm {
	explained := []ExplainedTerm{}
	if f.Mode == Vector {
		return explained
	}
	for i, term := range f.terms.Terms {
		explained = append(explained, ExplainedTerm{
			Term: term.Name, Frequency: f.sample.frequency(term.Hash), Weight: float64(f.weights.Weights[i]),
			Finds: slices.Contains(f.rare, term.Hash),
		})
	}
	return explained
}
