package tools

import (
	"context"
	"math"

	"github.com/compound-docs/compound-docs/internal/plain"
	"github.com/compound-docs/compound-docs/internal/workspace"
	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/rag/relevance"
)

// ExplainOutput says why a search finds what it finds. No tool answers with it: it is for
// people who tune documents or queries.
type ExplainOutput struct {
	Query string   `json:"query"`
	Mode  rag.Mode `json:"mode"`
	// Embedded is the part of the passages that was compared by vectors.
	Embedded          float64 `json:"embedded"`
	MinRelevanceScore float64 `json:"min_relevance_score"`
	rag.Explanation
	Results []ExplainedResult `json:"results"`
	Index   *IndexStatus      `json:"index,omitempty"`
}

// ExplainedResult is a document with the evidence for its best passage.
type ExplainedResult struct {
	Rank int `json:"rank"`
	// Cosine is nil if there is no vector.
	Cosine *float64 `json:"cosine"`
	// Terms add up to LogOdds, unless a line of a pasted text decides, or the whole of a
	// short query stands in the passage.
	Terms          relevance.Terms `json:"log_odds_terms"`
	LogOdds        float64         `json:"log_odds"`
	RelevanceScore float64         `json:"relevance_score"`
	SortKey        float64         `json:"sort_key"`
	// Below says that the score is below the threshold: a search leaves it out.
	Below          bool          `json:"below_threshold"`
	Path           string        `json:"path"`
	Title          string        `json:"title"`
	PromotionLevel catalog.Level `json:"promotion_level"`
	SupersededBy   string        `json:"superseded_by,omitempty"`
	BestPassage
	Snippet string `json:"snippet,omitempty"`
}

// Explain makes the search of semantic_search, and says why it finds what it finds.
func (h *Handler) Explain(ctx context.Context, in SemanticSearchInput) (ExplainOutput, error) {
	active, query, err := h.searchQuery(ctx, in)
	if err != nil {
		return ExplainOutput{}, err
	}
	return h.explain(ctx, active, active.Compounding(), query)
}

// ExplainExternal is [Handler.Explain] for search_external_docs.
func (h *Handler) ExplainExternal(ctx context.Context, in SearchExternalDocsInput) (ExplainOutput, error) {
	active, query, err := h.externalQuery(ctx, in)
	if err != nil {
		return ExplainOutput{}, err
	}
	return h.explain(ctx, active, active.External(), query)
}

func (h *Handler) explain(
	ctx context.Context, active *workspace.Project, scope catalog.Scope, query rag.Query,
) (ExplainOutput, error) {
	before := active.Status()
	found, err := h.workspace.Searcher().Explain(ctx, scope, query)
	if err != nil {
		return ExplainOutput{}, err
	}
	out := ExplainOutput{
		Query: query.Text, Mode: found.Mode, Embedded: math.Floor(found.Embedded*100) / 100, MinRelevanceScore: query.MinScore,
		Explanation: found, Results: []ExplainedResult{},
	}
	for i, term := range out.Terms {
		out.Terms[i].Weight = round(term.Weight)
	}
	for i, hit := range found.Documents {
		out.Results = append(out.Results, explainedResult(i+1, hit, query.MinScore))
	}
	out.Index = indexOfHits(active, before, scope.Collection, found.Documents)
	return out, nil
}

func explainedResult(rank int, hit rag.Hit, minScore float64) ExplainedResult {
	terms := hit.Evidence.Terms()
	result := ExplainedResult{
		Rank: rank, LogOdds: round(hit.LogOdds), RelevanceScore: round(hit.Score), SortKey: round(hit.Key), Below: hit.Score < minScore,
		Terms: relevance.Terms{
			Meaning: round(terms.Meaning), Strength: round(terms.Strength), Share: round(terms.Share),
			Phrase: round(terms.Phrase), Passages: round(terms.Passages), Base: terms.Base,
		},
		Path: wirePath(hit.Path), Title: brief(hit.Title), PromotionLevel: hit.Level,
		SupersededBy: wirePath(hit.SupersededBy), BestPassage: bestPassageOf(hit, maxText), Snippet: plain.Line(hit.Snippet),
	}
	if cosine := hit.Cosine(); cosine != nil {
		result.Cosine = new(round(*cosine))
	}
	return result
}
