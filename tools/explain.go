package tools

import (
	"context"
	"math"

	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/rag/relevance"
)

// ExplainOutput says why a search returns its results, for people who tune documents or queries.
type ExplainOutput struct {
	Query string   `json:"query"`
	Mode  rag.Mode `json:"mode"`
	// Embedded is the share of passages whose vector of the model the search could compare with the query.
	Embedded float64 `json:"embedded"`
	// ModeReason says what the search used instead of missing vectors, and why. It is "" if none are missing.
	ModeReason        string  `json:"mode_reason,omitempty"`
	MinRelevanceScore float64 `json:"min_relevance_score"`
	rag.Explanation
	Results []ExplainedResult `json:"results"`
	Index   *IndexStatus      `json:"index,omitempty"`
}

// ExplainedResult is a document with the evidence for its best passage.
type ExplainedResult struct {
	Rank int `json:"rank"`
	// Cosine is nil if the passage has no vector.
	Cosine *float64 `json:"cosine"`
	// LogOdds are the log-odds that the document answers the query. Terms has the amount that each kind of evidence
	// adds to LogOdds. The sum of the amounts is not LogOdds if a line of a pasted text decides, if the passage has the
	// whole of a short query, or if another document replaces the document.
	Terms   relevance.Parts `json:"log_odds_terms"`
	LogOdds float64         `json:"log_odds"`
	SortKey float64         `json:"sort_key"`
	// Below is true if the score is below the threshold, so that a search leaves the document out.
	Below bool `json:"below_threshold"`
	SearchResult
}

// Explain runs the search of semantic_search, and returns the evidence for each result.
func (h *Handler) Explain(ctx context.Context, in SemanticSearchInput) (ExplainOutput, error) {
	active, query, err := h.searchQuery(ctx, in)
	if err != nil {
		return ExplainOutput{}, err
	}
	before := active.Status()
	explanation, err := h.workspace.Searcher.Explain(ctx, active.Compounding(), query)
	if err != nil {
		return ExplainOutput{}, err
	}
	out := ExplainOutput{
		Query: query.Text, Mode: explanation.Mode, Embedded: math.Floor(explanation.Embedded*100) / 100,
		ModeReason:        coverageOf(explanation.Coverage, query.Mode).ModeReason,
		MinRelevanceScore: query.MinScore,
		Explanation:       explanation, Results: []ExplainedResult{},
	}
	if explanation.Fallback != nil {
		out.Embedded = 0
	}
	for i, result := range searchResults(explanation.Documents, nil) {
		hit := explanation.Documents[i]
		out.Results = append(out.Results, ExplainedResult{
			Rank: i + 1, Cosine: hit.Cosine(), Terms: hit.Evidence.Parts(), LogOdds: hit.LogOdds, SortKey: hit.Key,
			Below: hit.Score < query.MinScore, SearchResult: result,
		})
	}
	out.Index = indexOfHits(active, before, catalog.Compounding, false, explanation.Documents)
	return out, nil
}
