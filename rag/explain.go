package rag

import (
	"context"
	"slices"

	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/rag/relevance"
)

// Explanation says how a search has found and ranked documents.
type Explanation struct {
	Coverage `json:"-"`

	// Terms are the query's, in its order. Sampled is the number of passages of the project
	// their frequencies come from. Both are empty for a search by vector.
	Sampled int `json:"sampled_passages"`
	// Passages is how many the search may return: the more, the more look right by
	// accident. Candidates is the number of documents found, before threshold and limit.
	Passages int             `json:"passages"`
	Terms    []ExplainedTerm `json:"terms"`
	// Identifiers are the names in the query that count as phrases.
	Identifiers []string `json:"identifiers"`
	// Plans say how vectors were compared: those of documents at the standard level, and
	// of those above it. There are none in a search by words.
	Plans      []ExplainedPlan `json:"plans"`
	Candidates int             `json:"candidates"`
	// Documents are in the order of the results, up to the query's limit, those below its
	// threshold among them.
	Documents []ExplainedHit `json:"-"`
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

// ExplainedEvidence is what each kind of evidence adds to the log-odds.
type ExplainedEvidence = relevance.Terms

// ExplainedHit is a document with the evidence for its best passage.
type ExplainedHit struct {
	Hit

	// Cosine is nil if no vector was compared.
	Cosine *float64
	// LogOdds that the document answers: the sum of Terms, unless a line of a pasted text
	// decides, or the whole of a short query stands in the passage.
	LogOdds float64
	Terms   ExplainedEvidence
	// Key is what documents are ordered by.
	Key float64
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
		Passages: found.searchable, Candidates: len(ranked), Documents: []ExplainedHit{},
	}
	if found.Mode != Vector {
		explanation.Sampled = found.sample.size
	}
	for _, plan := range found.plans {
		if len(plan.Levels) > 0 && found.Mode != Lexical {
			explanation.Plans = append(explanation.Plans, plan)
		}
	}
	for _, identifier := range found.weights.Identifiers {
		explanation.Identifiers = append(explanation.Identifiers, identifier.Name)
	}
	for _, hit := range ranked[:min(query.Limit, len(ranked))] {
		found.addSnippet(hit)
		explained := ExplainedHit{Hit: *hit, LogOdds: hit.logOdds, Terms: hit.Evidence.Terms(), Key: hit.key}
		if hit.compared {
			explained.Cosine = new(1 - hit.distance)
		}
		explanation.Documents = append(explanation.Documents, explained)
	}
	return explanation, nil
}

func (f *finding) explainTerms() []ExplainedTerm {
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

// explainPlan explains how vectors of documents of some levels are compared. It does not know
// whether a scan found too few of them, so that all were compared.
func explainPlan(levels []catalog.Level, passages, above int64, scan int32) ExplainedPlan {
	plan := ExplainedPlan{Levels: levels, Plan: "exact", Passages: int(passages), Threshold: int(above)}
	switch {
	case passages == 0:
		plan.Plan = "nothing"
	case scan > 0 && passages > above:
		plan.Plan = "hnsw"
	}
	return plan
}
