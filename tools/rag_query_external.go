package tools

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/rag/answer"
	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/rag/markdown"
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
	generationOutput
	coverageOutput
	Index *IndexStatus `json:"index,omitempty" jsonschema:"Present while the index is behind the files."`
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
		OutputSchema: externalSchema[ragQueryExternalOutput]("sources", "rag_query",
			"generation", "generation_reason", "omitted", "omitted_count"),
	})
}

func (h *handler) ragQueryExternal(
	ctx context.Context, request *mcp.CallToolRequest, in ragQueryExternalInput,
) (*mcp.CallToolResult, ragQueryExternalOutput, error) {
	active, external, err := h.workspace.External(ctx)
	if err != nil {
		return nil, ragQueryExternalOutput{}, err
	}
	query, err := newQuery(active, in.Query, nil)
	if err != nil {
		return nil, ragQueryExternalOutput{}, err
	}
	query.Limit = valueOr(in.MaxSources, active.Definition.Config.Retrieval.MaxResults)
	query.MinScore = externalThreshold(active, in.MinRelevanceScore)
	answered, err := h.workspace.Answerer().Ask(ctx, external.Scope, answer.Question{
		Query: query, MinLevel: catalog.Standard, OnText: h.onText(ctx, request),
	})
	if err != nil {
		return nil, ragQueryExternalOutput{}, err
	}
	if answered.Text == "" {
		answered.Text = nothingFound(answered.Closest, query.MinScore, false)
	}
	for _, note := range []string{alteredText(answered.Altered, alteredIsRestored), overriddenText(active, in.MinRelevanceScore)} {
		if note != "" {
			answered.Text += "\n\n" + note
		}
	}
	out := ragQueryExternalOutput{
		Answer: answered.Text, ExternalDocsPath: external.Path,
		nothingOutput: nothingOf(len(answered.Sources), answered.Closest, query.MinScore),
		omittedOutput: omittedOf(answered), generationOutput: generationOf(answered),
		coverageOutput: coverageOf(answered.Coverage, rag.Hybrid),
		Index:          h.indexOfHits(ctx, active, catalog.External, answered.Sources, answered.Closest),
	}
	var unlisted int
	out.Sources, unlisted = fit(externalSources(answered.Sources), maxList-weight(out.Answer))
	out.OmittedCount += unlisted
	return nil, out, nil
}

func externalSources(hits []rag.Hit) []externalSourceOutput {
	limit := textLimit(len(hits))
	sources := make([]externalSourceOutput, len(hits))
	for i, hit := range hits {
		sources[i] = externalSourceOutput{
			Path: wirePath(hit.Path), Title: markdown.CutRunes(hit.Title, limit), CharCount: hit.CharCount,
			RelevanceScore: round(hit.Score), bestPassage: bestPassageOf(hit, limit),
		}
	}
	return sources
}
