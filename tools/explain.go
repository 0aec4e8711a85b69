package tools

import (
	"context"
	"math"

	"github.com/compound-docs/compound-docs/internal/workspace"
	"github.com/compound-docs/compound-docs/rag"
)

// ExplainOutput says why a search finds what it finds. No tool answers with it: it is for
// people who tune documents or queries.
type ExplainOutput struct {
	Query string   `json:"query"`
	Mode  rag.Mode `json:"mode"`
	// Embedded is the part of the passages that was compared by vectors.
	Embedded          float64 `json:"embedded"`
	MinRelevanceScore float64 `json:"min_relevance_score"`
	// Sampled is the number of passages that the frequencies of the terms come from.
	Sampled     int               `json:"sampled_passages"`
	Terms       []ExplainedTerm   `json:"terms"`
	Identifiers []string          `json:"identifiers"`
	Plans       []ExplainedPlan   `json:"plans"`
	Candidates  int               `json:"candidates"`
	Results     []ExplainedResult `json:"results"`
	Index       *indexOutput      `json:"index,omitempty"`
}

// ExplainedTerm is a term of the query; see [rag.ExplainedTerm].
type ExplainedTerm struct {
	Term      string  `json:"term"`
	Frequency int     `json:"frequency"`
	Weight    float64 `json:"weight"`
	Finds     bool    `json:"finds"`
}

// ExplainedPlan says how vectors were compared; see [rag.ExplainedPlan].
type ExplainedPlan struct {
	Levels    []rag.Level `json:"promotion_levels"`
	Plan      string      `json:"plan"`
	Passages  int         `json:"passages"`
	Threshold int         `json:"exact_up_to"`
}

// ExplainedResult is a document with the evidence for its best passage.
type ExplainedResult struct {
	Rank int `json:"rank"`
	// Cosine is nil if there is no vector.
	Cosine         *float64 `json:"cosine"`
	Share          float64  `json:"share"`
	Phrase         float64  `json:"phrase"`
	RelevanceScore float64  `json:"relevance_score"`
	Boost          float64  `json:"boost"`
	SortKey        float64  `json:"sort_key"`
	// Below says that the score is below the threshold: a search leaves it out.
	Below          bool      `json:"below_threshold"`
	Path           string    `json:"path"`
	Title          string    `json:"title"`
	PromotionLevel rag.Level `json:"promotion_level"`
	supersededOutput
	bestPassage
	snippetOutput
}

// Explain makes the search of semantic_search, and says why it finds what it finds.
func (c *Calls) Explain(ctx context.Context, in SearchInput) (ExplainOutput, error) {
	if err := check(semanticSearchTool(), in); err != nil {
		return ExplainOutput{}, err
	}
	active, query, _, err := c.handler.searchQuery(ctx, in)
	if err != nil {
		return ExplainOutput{}, err
	}
	return c.handler.explain(ctx, active, active.Compounding(), query)
}

// ExplainExternal is [Calls.Explain] for search_external_docs.
func (c *Calls) ExplainExternal(ctx context.Context, in SearchExternalInput) (ExplainOutput, error) {
	if err := check(searchExternalDocsTool(), in); err != nil {
		return ExplainOutput{}, err
	}
	active, external, query, _, err := c.handler.externalQuery(ctx, in)
	if err != nil {
		return ExplainOutput{}, err
	}
	return c.handler.explain(ctx, active, external.Scope, query)
}

func (h *handler) explain(
	ctx context.Context, active *workspace.Project, scope rag.Scope, query rag.Query,
) (ExplainOutput, error) {
	found, err := h.workspace.Searcher().Explain(ctx, scope, query)
	if err != nil {
		return ExplainOutput{}, err
	}
	out := ExplainOutput{
		Query: query.Text, Mode: found.Mode, Embedded: math.Floor(found.Embedded*100) / 100, MinRelevanceScore: query.MinScore,
		Sampled: found.Sampled, Terms: []ExplainedTerm{}, Identifiers: found.Identifiers, Plans: []ExplainedPlan{},
		Candidates: found.Candidates, Results: []ExplainedResult{}, Index: indexOf(ctx, active),
	}
	for _, term := range found.Terms {
		term.Weight = round(term.Weight)
		out.Terms = append(out.Terms, ExplainedTerm(term))
	}
	for _, plan := range found.Plans {
		out.Plans = append(out.Plans, ExplainedPlan(plan))
	}
	for i, hit := range found.Documents {
		out.Results = append(out.Results, explainedResult(i+1, hit, query.MinScore))
	}
	return out, nil
}

func explainedResult(rank int, hit rag.ExplainedHit, minScore float64) ExplainedResult {
	result := ExplainedResult{
		Rank: rank, Share: round(hit.Share), Phrase: round(hit.Phrase), RelevanceScore: round(hit.Hit.Score),
		Boost: hit.Boost, SortKey: round(hit.Key), Below: hit.Hit.Score < minScore,
		Path: wirePath(hit.Path), Title: brief(hit.Title), PromotionLevel: hit.Level,
		supersededOutput: supersededOf(hit.Hit), bestPassage: bestPassageOf(hit.Hit, maxText),
		snippetOutput: snippetOutput{hit.Snippet},
	}
	if hit.Cosine != nil {
		result.Cosine = new(round(*hit.Cosine))
	}
	return result
}
