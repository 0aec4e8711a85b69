package tools

import (
	"context"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/compound-docs/compound-docs/internal/workspace"
	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/rag/markdown"
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
	messageOutput
	nothingOutput
	coverageOutput
	Index *IndexStatus `json:"index,omitempty" jsonschema:"Present while the index is behind the files."`
}

func (o searchExternalDocsOutput) resultCount() int { return len(o.Results) }

type externalResult struct {
	Path           string  `json:"path"`
	Title          string  `json:"title"`
	Summary        string  `json:"summary"`
	CharCount      int     `json:"char_count"`
	RelevanceScore float64 `json:"relevance_score"`
	bestPassage
	snippetOutput
	matchedOutput
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
	active, external, query, err := h.externalQuery(ctx, in)
	if err != nil {
		return nil, searchExternalDocsOutput{}, err
	}
	hits, err := h.workspace.Searcher().Search(ctx, external.Scope, query)
	if err != nil {
		return nil, searchExternalDocsOutput{}, err
	}
	message := messageOf(hits, query)
	message.Message = strings.TrimSpace(message.Message + " " + overriddenText(active, in.MinRelevanceScore))
	results, omitted := fit(externalResults(hits.Documents), maxList)
	return nil, searchExternalDocsOutput{
		Results: results, TotalMatches: len(results), OmittedCount: omitted, ExternalDocsPath: external.Path,
		messageOutput: message, nothingOutput: nothingOf(len(results), hits.Closest, query.MinScore),
		coverageOutput: coverageOf(hits.Coverage, in.Mode),
		Index:          h.indexOfHits(ctx, active, catalog.External, hits.Documents, hits.Closest),
	}, nil
}

// externalQuery is [handler.searchQuery] for the external docs.
func (h *handler) externalQuery(
	ctx context.Context, in searchExternalDocsInput,
) (active *workspace.Project, external workspace.External, query rag.Query, err error) {
	if active, external, err = h.workspace.External(ctx); err != nil {
		return nil, workspace.External{}, rag.Query{}, err
	}
	if query, err = newQuery(active, in.Query, nil); err != nil {
		return nil, workspace.External{}, rag.Query{}, err
	}
	query.Mode, query.Limit = in.Mode, valueOr(in.Limit, active.Definition.Config.SemanticSearch.DefaultLimit)
	query.MinScore = externalThreshold(active, in.MinRelevanceScore)
	return active, external, query, nil
}

func externalResults(hits []rag.Hit) []externalResult {
	limit := textLimit(len(hits))
	results := make([]externalResult, len(hits))
	for i, hit := range hits {
		results[i] = externalResult{
			Path: wirePath(hit.Path), Title: markdown.CutRunes(hit.Title, limit), Summary: markdown.CutRunes(hit.Summary, limit),
			CharCount: hit.CharCount, RelevanceScore: round(hit.Score), bestPassage: bestPassageOf(hit, limit),
			snippetOutput: snippetOutput{hit.Snippet}, matchedOutput: matchedOutput{markdown.CutRunes(hit.Line, limit)},
		}
	}
	return results
}
