package tools

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/compound-docs/compound-docs/internal/workspace"
)

// externalMinScore is the threshold of both external tools when neither config
// nor parameter gives one.
const externalMinScore = 0.7

type searchExternalDocsInput struct {
	Query             string   `json:"query" jsonschema:"What to look for, in words or as a question."`
	Limit             *int     `json:"limit,omitempty" jsonschema:"Maximum results. Default: 10, or what the project configures."`
	MinRelevanceScore *float64 `json:"min_relevance_score,omitempty" jsonschema:"Leave out results below this relevance. semantic_search.min_relevance_score in the project's config wins over it."`
}

type searchExternalDocsOutput struct {
	Results          []externalResult `json:"results"`
	TotalMatches     int              `json:"total_matches" jsonschema:"Number of results."`
	ExternalDocsPath string           `json:"external_docs_path"`
	Closest          *closestOutput   `json:"closest,omitempty" jsonschema:"The nearest document, when none reached the threshold."`
	Index            *indexOutput     `json:"index,omitempty" jsonschema:"Present while the index is behind the files."`
}

type externalResult struct {
	Path           string  `json:"path"`
	Title          string  `json:"title"`
	Summary        string  `json:"summary"`
	CharCount      int     `json:"char_count"`
	RelevanceScore float64 `json:"relevance_score"`
	bestPassage
}

func searchExternalDocsTool() *mcp.Tool {
	return &mcp.Tool{
		Name:  "search_external_docs",
		Title: "Search external docs",
		Description: "Search external project documentation (read-only). Requires `external_docs` to be configured in project " +
			"config. Use it for reference material such as API guides; use semantic_search for what the team has learned.",
		Annotations: readOnly(),
		InputSchema: inputSchema[searchExternalDocsInput](map[string][]property{
			"query":               {aQuery, example("database schema design")},
			"limit":               {between(1, 100), example(10)},
			"min_relevance_score": {between(0, 1), withDefault(externalMinScore)},
		}),
		OutputSchema: outputSchema[searchExternalDocsOutput](map[string][]property{"index": {indexFields}}),
	}
}

func (h *handler) searchExternalDocs(
	ctx context.Context, _ *mcp.CallToolRequest, in searchExternalDocsInput,
) (*mcp.CallToolResult, searchExternalDocsOutput, error) {
	active, external, err := h.session.External(ctx)
	if err != nil {
		return nil, searchExternalDocsOutput{}, err
	}
	query, err := newQuery(active, in.Query, nil)
	if err != nil {
		return nil, searchExternalDocsOutput{}, err
	}
	query.Limit = valueOr(in.Limit, active.Project.Config.SemanticSearch.DefaultLimit)
	query.MinScore = externalThreshold(active, in.MinRelevanceScore)
	hits, err := h.session.Library().Search(ctx, external.Scope, query)
	if err != nil {
		return nil, searchExternalDocsOutput{}, err
	}
	out := searchExternalDocsOutput{
		Results: make([]externalResult, 0, len(hits.Documents)), TotalMatches: len(hits.Documents),
		ExternalDocsPath: external.Path, Closest: closestOf(hits.Closest), Index: indexOf(ctx, active),
	}
	for _, hit := range hits.Documents {
		out.Results = append(out.Results, externalResult{
			Path: wirePath(hit.Path), Title: hit.Title, Summary: hit.Summary, CharCount: hit.CharCount,
			RelevanceScore: round(hit.Score), bestPassage: bestPassageOf(hit),
		})
	}
	return nil, out, nil
}

// externalThreshold lets the config win over the parameter, which is how the
// external tools differ from the others.
func externalThreshold(active *workspace.Active, parameter *float64) float64 {
	if configured := active.Project.Config.SemanticSearch.Configured; configured != nil {
		return *configured
	}
	return valueOr(parameter, externalMinScore)
}
