package tools

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/rag/markdown"
)

type ragQueryExternalInput struct {
	Query             string   `json:"query" jsonschema:"Natural language question."`
	MaxSources        *int     `json:"max_sources,omitempty" jsonschema:"Maximum documents to use. Default: 3, or what the project configures."`
	MinRelevanceScore *float64 `json:"min_relevance_score,omitempty" jsonschema:"Leave out documents below this relevance. semantic_search.min_relevance_score in the project's config overrides it."`
}

type ragQueryExternalOutput struct {
	Answer           string                 `json:"answer"`
	Sources          []externalSourceOutput `json:"sources"`
	ExternalDocsPath string                 `json:"external_docs_path"`
	Closest          *closestOutput         `json:"closest,omitempty" jsonschema:"The most relevant document, when none reached the threshold."`
	omittedOutput
	generationOutput
	embeddedOutput
	Index *indexOutput `json:"index,omitempty" jsonschema:"Present while the index is behind the files."`
}

func (o ragQueryExternalOutput) resultCount() int { return len(o.Sources) }

type externalSourceOutput struct {
	Path           string  `json:"path"`
	Title          string  `json:"title"`
	CharCount      int     `json:"char_count"`
	RelevanceScore float64 `json:"relevance_score"`
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
		OutputSchema: outputSchema[ragQueryExternalOutput](sharedFields()),
	})
}

func (h *handler) ragQueryExternal(
	ctx context.Context, request *mcp.CallToolRequest, in ragQueryExternalInput,
) (*mcp.CallToolResult, ragQueryExternalOutput, error) {
	out, err := h.askExternal(ctx, in, h.writingProgress(ctx, request))
	return nil, out, err
}

// askExternal answers rag_query_external; see [handler.ask].
func (h *handler) askExternal(
	ctx context.Context, in ragQueryExternalInput, onText func(text string),
) (ragQueryExternalOutput, error) {
	active, external, err := h.workspace.External(ctx)
	if err != nil {
		return ragQueryExternalOutput{}, err
	}
	query, err := newQuery(active, in.Query, nil)
	if err != nil {
		return ragQueryExternalOutput{}, err
	}
	query.Limit = valueOr(in.MaxSources, active.Definition.Config.Retrieval.MaxResults)
	least := externalThreshold(active, in.MinRelevanceScore)
	query.MinScore = least.score
	answer, err := h.workspace.Searcher().Ask(ctx, external.Scope, rag.Question{
		Query: query, MinLevel: rag.Standard, OnText: onText,
	})
	if err != nil {
		return ragQueryExternalOutput{}, err
	}
	if answer.Text == "" {
		answer.Text = least.nothingFound(answer.Closest, false)
	}
	out := ragQueryExternalOutput{
		Answer: answer.Text, ExternalDocsPath: external.Path, Closest: least.closest(answer.Closest),
		omittedOutput: omittedOf(answer), generationOutput: generationOf(answer),
		embeddedOutput: embeddedOf(answer.Coverage), Index: indexOf(ctx, active),
	}
	var unlisted int
	out.Sources, unlisted = fitList(maxList-weight(out.Answer), func(limit int) []externalSourceOutput {
		return externalSources(answer.Sources, limit)
	})
	out.OmittedCount += unlisted
	return out, nil
}

func externalSources(hits []rag.Hit, limit int) []externalSourceOutput {
	sources := make([]externalSourceOutput, len(hits))
	for i, hit := range hits {
		sources[i] = externalSourceOutput{
			Path: wirePath(hit.Path), Title: markdown.CutRunes(hit.Title, limit), CharCount: hit.CharCount,
			RelevanceScore: round(hit.Score), bestPassage: bestPassageOf(hit, limit),
		}
	}
	return sources
}
