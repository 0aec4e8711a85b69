package tools

import (
	"context"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/compound-docs/compound-docs/internal/workspace"
	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/rag/catalog"
)

type searchExternalDocsInput struct {
	Query             string   `json:"query" jsonschema:"What to look for, in words or as a question."`
	Limit             *int     `json:"limit,omitempty" jsonschema:"Maximum results. Default: 10, or as configured."`
	MinRelevanceScore *float64 `json:"min_relevance_score,omitempty" jsonschema:"Leave out results below this relevance. semantic_search.min_relevance_score in the project's config overrides it."`
	Mode              rag.Mode `json:"mode,omitempty" jsonschema:"As in semantic_search."`
}

type searchExternalDocsOutput struct {
	Results          []externalResult `json:"results"`
	TotalMatches     int              `json:"total_matches" jsonschema:"Number of results."`
	OmittedCount     int              `json:"omitted_count,omitempty" jsonschema:"Further results, for which there was no room."`
	ExternalDocsPath string           `json:"external_docs_path"`
	foundEnd
}

func (o searchExternalDocsOutput) resultCount() int { return len(o.Results) }

type externalResult struct {
	resultHead
	resultEnd
}

func searchExternalDocsTool() Tool {
	return newProjectTool((*handler).searchExternalDocs, &mcp.Tool{
		Name:  "search_external_docs",
		Title: "Search external docs",
		Description: "Search external project documentation (read-only). Requires `external_docs` to be configured in project " +
			"config. Use it for reference material such as API guides; use semantic_search for what the team has learned.",
		Meta:        searchHint("find pages of the external documentation"),
		Annotations: readOnly(),
		InputSchema: inputSchema[searchExternalDocsInput](map[string][]property{
			"query":               {queryText, example("database schema design")},
			"limit":               {between(1, 100), example(10)},
			"min_relevance_score": {between(0, 1), withDefault(externalMinScore)},
			"mode":                {modes},
		}),
		OutputSchema: externalSchema[searchExternalDocsOutput]("results", "semantic_search", "total_matches", "omitted_count"),
	})
}

func (h *handler) searchExternalDocs(
	ctx context.Context, _ *mcp.CallToolRequest, in searchExternalDocsInput,
) (*mcp.CallToolResult, searchExternalDocsOutput, error) {
	active, query, err := h.externalQuery(ctx, in)
	if err != nil {
		return nil, searchExternalDocsOutput{}, err
	}
	hits, err := h.workspace.Searcher().Search(ctx, active.External(), query)
	if err != nil {
		return nil, searchExternalDocsOutput{}, err
	}
	end := h.foundEnd(ctx, active, catalog.External, hits, query)
	end.Message = strings.TrimSpace(end.Message + " " + overriddenText(active, in.MinRelevanceScore))
	limit := textLimit(len(hits.Documents))
	list := make([]externalResult, len(hits.Documents))
	for i, hit := range hits.Documents {
		list[i] = externalResult{resultHeadOf(hit, limit), resultEndOf(hit, limit)}
	}
	results, omitted := fit(list, maxList)
	return nil, searchExternalDocsOutput{
		Results: results, TotalMatches: len(results), OmittedCount: omitted,
		ExternalDocsPath: active.Definition.Config.ExternalDocs.Path, foundEnd: end,
	}, nil
}

// externalQuery is [handler.searchQuery] for the external docs.
func (h *handler) externalQuery(
	ctx context.Context, in searchExternalDocsInput,
) (active *workspace.Project, query rag.Query, err error) {
	if active, err = h.workspace.External(ctx); err != nil {
		return nil, rag.Query{}, err
	}
	if query, err = newQuery(active, in.Query, nil); err != nil {
		return nil, rag.Query{}, err
	}
	query.Mode, query.Limit = in.Mode, valueOr(in.Limit, active.Definition.Config.SemanticSearch.DefaultLimit)
	query.MinScore = externalThreshold(active, in.MinRelevanceScore)
	return active, query, nil
}
