package tools

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/compound-docs/compound-docs/rag"
)

type ragQueryExternalInput struct {
	Query             string   `json:"query" jsonschema:"Natural language question."`
	MaxSources        *int     `json:"max_sources,omitempty" jsonschema:"Maximum documents to use. Default: 3, or what the project configures."`
	MinRelevanceScore *float64 `json:"min_relevance_score,omitempty" jsonschema:"Leave out documents below this relevance. semantic_search.min_relevance_score in the project's config wins over it."`
}

type ragQueryExternalOutput struct {
	Answer           string                 `json:"answer"`
	Sources          []externalSourceOutput `json:"sources"`
	ExternalDocsPath string                 `json:"external_docs_path"`
	Closest          *closestOutput         `json:"closest,omitempty" jsonschema:"The nearest document, when none reached the threshold."`
	generationOutput
	Index *indexOutput `json:"index,omitempty" jsonschema:"Present while the index is behind the files."`
}

type externalSourceOutput struct {
	Path           string  `json:"path"`
	Title          string  `json:"title"`
	CharCount      int     `json:"char_count"`
	RelevanceScore float64 `json:"relevance_score"`
	bestPassage
}

func ragQueryExternalTool() *mcp.Tool {
	return &mcp.Tool{
		Name:  "rag_query_external",
		Title: "Ask the external docs",
		Description: "Answer a question from the external project documentation, with sources. Requires `external_docs` to be " +
			"configured in project config. Links between the documents are not followed. Use search_external_docs instead to " +
			"find documents: it is faster and needs no language model.",
		Annotations: readOnly(),
		InputSchema: inputSchema[ragQueryExternalInput](map[string][]property{
			"query":               {aQuery, example("How does API authentication work?")},
			"max_sources":         {between(1, 100), example(3)},
			"min_relevance_score": {between(0, 1), withDefault(externalMinScore)},
		}),
		OutputSchema: outputSchema[ragQueryExternalOutput](map[string][]property{"index": {indexFields}}),
	}
}

func (h *handler) ragQueryExternal(
	ctx context.Context, request *mcp.CallToolRequest, in ragQueryExternalInput,
) (*mcp.CallToolResult, ragQueryExternalOutput, error) {
	active, external, err := h.session.External(ctx)
	if err != nil {
		return nil, ragQueryExternalOutput{}, err
	}
	query, err := newQuery(active, in.Query, nil)
	if err != nil {
		return nil, ragQueryExternalOutput{}, err
	}
	query.Limit = valueOr(in.MaxSources, active.Project.Config.Retrieval.MaxResults)
	query.MinScore = externalThreshold(active, in.MinRelevanceScore)
	answer, err := h.session.Library().Ask(ctx, external.Scope, rag.Question{
		Query: query, MinLevel: rag.Standard, OnText: h.writingProgress(ctx, request),
	})
	if err != nil {
		return nil, ragQueryExternalOutput{}, err
	}
	out := ragQueryExternalOutput{
		Answer: answer.Text, Sources: make([]externalSourceOutput, 0, len(answer.Sources)), ExternalDocsPath: external.Path,
		Closest: closestOf(answer.Closest), generationOutput: generationOf(answer), Index: indexOf(ctx, active),
	}
	for _, hit := range answer.Sources {
		out.Sources = append(out.Sources, externalSourceOutput{
			Path: wirePath(hit.Path), Title: hit.Title, CharCount: hit.CharCount, RelevanceScore: round(hit.Score),
			bestPassage: bestPassageOf(hit),
		})
	}
	return nil, out, nil
}
