package tools

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/compound-docs/compound-docs/rag"
)

// SearchExternalDocsInput has the parameters of search_external_docs.
type SearchExternalDocsInput struct {
	Query             string   `json:"query" jsonschema:"Words or a question."`
	Limit             *int     `json:"limit,omitempty" jsonschema:"Maximum results. Default: 10, or as configured."`
	MinRelevanceScore *float64 `json:"min_relevance_score,omitempty" jsonschema:"Leave out results below this relevance. semantic_search.min_relevance_score in the project's config overrides it."`
	Mode              rag.Mode `json:"mode,omitempty" jsonschema:"As in semantic_search."`
}

// SearchExternalDocsOutput is the answer of search_external_docs.
type SearchExternalDocsOutput struct {
	Results          []ExternalResult `json:"results"`
	TotalMatches     int              `json:"total_matches"`
	OmittedCount     int              `json:"omitted_count,omitempty"`
	ExternalDocsPath string           `json:"external_docs_path"`
	SearchEnd
}

// ExternalResult is a page of the external docs that a search has found.
type ExternalResult struct {
	ResultHead
	ResultEnd
}

func searchExternalDocsTool() Tool {
	return newTool(ofProject, (*Handler).SearchExternalDocs, &mcp.Tool{
		Name:  "search_external_docs",
		Title: "Search external docs",
		Description: "Search external project documentation (read-only). Requires `external_docs` to be configured in project " +
			"config. Use it for reference material such as API guides; use semantic_search for what the team has learned.",
		Meta:        searchHint("find pages of the external documentation"),
		Annotations: readOnly(),
		InputSchema: inputSchema[SearchExternalDocsInput](map[string][]property{
			"query":               {queryText, example("database schema design")},
			"limit":               {between(1, 100), example(10)},
			"min_relevance_score": {between(0, 1), withDefault(externalMinScore)},
			"mode":                {oneOf(rag.Modes()...), withDefault(rag.Hybrid)},
		}),
		OutputSchema: outputSchema[SearchExternalDocsOutput](map[string][]property{
			"results": {declaredElsewhere}, "may_answer": {declaredElsewhere}, "index": {declaredElsewhere},
		}),
	})
}

// SearchExternalDocs finds pages of the external docs.
func (h *Handler) SearchExternalDocs(ctx context.Context, in SearchExternalDocsInput) (SearchExternalDocsOutput, error) {
	active, err := h.workspace.External(ctx)
	if err != nil {
		return SearchExternalDocsOutput{}, err
	}
	hits, end, err := h.search(ctx, active, active.External(), rag.Query{
		Text: in.Query, Mode: in.Mode, Limit: valueOr(in.Limit, active.Definition.Config.SemanticSearch.DefaultLimit),
		MinScore: externalThreshold(active, in.MinRelevanceScore),
	})
	if err != nil {
		return SearchExternalDocsOutput{}, err
	}
	list := make([]ExternalResult, len(hits.Documents))
	for i, result := range searchResults(hits.Documents, nil) {
		list[i] = ExternalResult{result.ResultHead, result.ResultEnd}
	}
	results, omitted := fit(list, maxList)
	return SearchExternalDocsOutput{
		Results: results, TotalMatches: len(results), OmittedCount: omitted,
		ExternalDocsPath: active.Definition.Config.ExternalDocs.Path, SearchEnd: end,
	}, nil
}
