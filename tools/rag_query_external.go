package tools

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/compound-docs/compound-docs/rag/answer"
	"github.com/compound-docs/compound-docs/rag/catalog"
)

type ragQueryExternalInput struct {
	Query             string   `json:"query" jsonschema:"Natural language question."`
	MaxSources        *int     `json:"max_sources,omitempty" jsonschema:"Maximum documents to use. Default: 3, or as configured."`
	MinRelevanceScore *float64 `json:"min_relevance_score,omitempty" jsonschema:"Leave out documents below this relevance. semantic_search.min_relevance_score in the project's config overrides it."`
}

type ragQueryExternalOutput struct {
	Answer           string                 `json:"answer"`
	Sources          []externalSourceOutput `json:"sources"`
	ExternalDocsPath string                 `json:"external_docs_path"`
	nothingOutput
	omittedOutput
	answerEnd
}

func (o ragQueryExternalOutput) resultCount() int { return len(o.Sources) }

type externalSourceOutput struct {
	sourceHead
	bestPassage
}

func ragQueryExternalTool() Tool {
	return newProjectTool((*handler).ragQueryExternal, &mcp.Tool{
		Name:  "rag_query_external",
		Title: "Ask the external docs",
		Description: "Answer a question from the external project documentation, with sources. Requires `external_docs` to be " +
			"configured in project config. Links between the documents are not followed. Use search_external_docs instead to " +
			"find documents: it is faster and needs no language model.",
		Meta:        searchHint("answer a question from the external documentation"),
		Annotations: readOnly(),
		InputSchema: inputSchema[ragQueryExternalInput](map[string][]property{
			"query":               {queryText, example("How does API authentication work?")},
			"max_sources":         {between(1, 100), example(3)},
			"min_relevance_score": {between(0, 1), withDefault(externalMinScore)},
		}),
		OutputSchema: externalSchema[ragQueryExternalOutput]("sources", "rag_query",
			"generation", "generation_reason", "omitted", "omitted_count"),
	})
}

func (h *handler) ragQueryExternal(
	ctx context.Context, request *mcp.CallToolRequest, in ragQueryExternalInput,
) (*mcp.CallToolResult, ragQueryExternalOutput, error) {
	active, err := h.workspace.External(ctx)
	if err != nil {
		return nil, ragQueryExternalOutput{}, err
	}
	query, err := newQuery(active, in.Query, nil)
	if err != nil {
		return nil, ragQueryExternalOutput{}, err
	}
	query.Limit = valueOr(in.MaxSources, active.Definition.Config.Retrieval.MaxResults)
	query.MinScore = externalThreshold(active, in.MinRelevanceScore)
	answered, err := h.workspace.Answerer().Ask(ctx, active.External(), answer.Question{
		Query: query, MinLevel: catalog.Standard, OnText: h.onText(ctx, request),
	})
	if err != nil {
		return nil, ragQueryExternalOutput{}, err
	}
	out := ragQueryExternalOutput{
		Answer:           answerText(answered, query.MinScore, false, overriddenText(active, in.MinRelevanceScore)),
		ExternalDocsPath: active.Definition.Config.ExternalDocs.Path,
		nothingOutput:    nothingOf(len(answered.Sources), answered.Closest, query.MinScore), omittedOutput: omittedOf(answered),
		answerEnd: h.answerEnd(ctx, active, catalog.External, answered),
	}
	limit := textLimit(len(answered.Sources))
	sources := make([]externalSourceOutput, len(answered.Sources))
	for i, hit := range answered.Sources {
		sources[i] = externalSourceOutput{sourceHeadOf(hit, limit), bestPassageOf(hit, limit)}
	}
	var unlisted int
	out.Sources, unlisted = fit(sources, maxList-weight(out.Answer))
	out.OmittedCount += unlisted
	return nil, out, nil
}
