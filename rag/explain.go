package rag

import (
	"context"
	"slices"

	"github.com/compound-docs/compound-docs/rag/relevance"
	"github.com/compound-docs/compound-docs/rag/terms"
)

// Explanation says how a search has found and ranked documents.
type Explanation struct {
	Coverage
	// Terms are the query's, in its order. Sampled is the number of passages of the project
	// their frequencies come from. Both are empty for a search by vector.
	Terms   []ExplainedTerm
	Sampled int
	// Identifiers are the names in the query that count as phrases.
	Identifiers []string
	// Plans say how vectors were compared: those of documents at the standard level, and
	// of those above it. There are none in a search by words.
	Plans []ExplainedPlan
	// Candidates is the number of documents found, before threshold and limit.
	Candidates int
	// Documents are in the order of the results, up to the query's limit, those below its
	// threshold among them.
	Documents []ExplainedHit
}

// ExplainedTerm is a term of the query.
type ExplainedTerm struct {
	Term string
	// Frequency is the number of sampled passages that have the term.
	Frequency int
	// Weight is its part of the query's BM25.
	Weight float64
	// Finds says that passages were found by the term. The others count in their scores.
	Finds bool
}

// ExplainedPlan says how the vectors of documents of some levels were compared.
type ExplainedPlan struct {
	Levels []Level
	// Plan is "exact", "hnsw" or "nothing".
	Plan string
	// Passages of the levels come into question, counted no further than one above
	// Threshold, up to which all of them are compared.
	Passages, Threshold int
}

// ExplainedHit is a document with the evidence for its best passage.
type ExplainedHit struct {
	Hit
	relevance.Evidence

	// Boost multiplies the score for the order; Key is the product.
	Boost, Key float64
}

// Explain searches as [Searcher.Search] does, and says why it finds what it finds.
func (s *Searcher) Explain(ctx context.Context, scope Scope, query Query) (Explanation, error) {
	documents := newList(scope, query)
	found, err := s.lookUp(ctx, scope, query.Text, query.Mode, documents)
	if err != nil {
		return Explanation{}, err
	}
	ranked := found.ranked(documents)
	explanation := Explanation{
		Coverage: found.coverage(), Terms: found.explainTerms(), Identifiers: []string{}, Plans: documents.explainPlans(),
		Candidates: len(ranked), Documents: []ExplainedHit{},
	}
	if found.sample != nil {
		explanation.Sampled = found.sample.size
	}
	for _, identifier := range found.terms.Identifiers {
		explanation.Identifiers = append(explanation.Identifiers, identifier.Name)
	}
	for _, hit := range ranked[:min(query.Limit, len(ranked))] {
		hit.Snippet = found.terms.Snippet(hit.content, maxSnippet)
		explanation.Documents = append(explanation.Documents,
			ExplainedHit{Hit: hit, Evidence: hit.evidence, Boost: hit.boost(), Key: hit.sortKey()})
	}
	return explanation, nil
}

func (l *lookup) explainTerms() []ExplainedTerm {
	explained := []ExplainedTerm{}
	if l.sample == nil {
		return explained
	}
	words := terms.Distinct(l.text)
	for i, term := range l.terms.Terms {
		if i == len(words) {
			break // two terms have the same hash
		}
		explained = append(explained, ExplainedTerm{
			Term: words[i], Frequency: l.sample.frequency(term.Hash), Weight: float64(l.weights.Weights[i]),
			Finds: slices.Contains(l.rare, term.Hash),
		})
	}
	return explained
}

func (l *list) explainPlans() []ExplainedPlan {
	plans := []ExplainedPlan{}
	for _, vectors := range l.vectors {
		if vectors.planning == nil || vectors.planning.count == nil || vectors.passages == 0 {
			continue
		}
		name := map[searchPlan]string{planNothing: "nothing", planExact: "exact", planHNSW: "hnsw"}[vectors.plan]
		plans = append(plans, ExplainedPlan{
			Levels: vectors.filter.levels, Plan: name,
			Passages: int(*vectors.planning.count), Threshold: int(vectors.planning.threshold()),
		})
	}
	return plans
}
