package tools

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/rag/answer"
	"github.com/compound-docs/compound-docs/rag/catalog"
)

// RagQueryExternalInput has the parameters of rag_query_external.
type RagQueryExternalInput struct {
	Query             string   `json:"query" jsonschema:"Natural language question."`
	MaxSources        *int     `json:"max_sources,omitempty" jsonschema:"Maximum documents to use. Default: 3, or as configured."`
	MinRelevanceScore *float64 `json:"min_relevance_score,omitempty" jsonschema:"Leave out documents below this relevance. semantic_search.min_relevance_score in the project's config overrides it."`
}

// RagQueryExternalOutput is the answer of rag_query_external.
type RagQueryExternalOutput struct {
	Answer           string           `json:"answer"`
	Sources          []ExternalSource `json:"sources"`
	ExternalDocsPath string           `json:"external_docs_path"`
	AnswerEnd
}

// ExternalSource is a page of the external docs that an answer is based on.
type ExternalSource struct {
	SourceHead
	BestPassage
}

func ragQueryExternalTool() Tool {
	return newTool(ofModel, (*Handler).RagQueryExternal, &mcp.Tool{
		Name:  "rag_query_external",
		Title: "Ask the external docs",
		Description: "Answer a question from the external project documentation, with sources. Requires `external_docs` to be " +
			"configured in project config. Links between the documents are not followed. Use search_external_docs instead to " +
			"find documents: it is faster and needs no language model.",
		Meta:        searchHint("answer a question from the external documentation"),
		Annotations: readOnly(),
		InputSchema: inputSchema[RagQueryExternalInput](map[string][]property{
			"query":               {queryText, example("How does API authentication work?")},
			"max_sources":         {between(1, 100), example(3)},
			"min_relevance_score": {between(0, 1), withDefault(externalMinScore)},
		}),
		OutputSchema: outputSchema[RagQueryExternalOutput](map[string][]property{
			"sources": {declaredElsewhere}, "may_answer": {declaredElsewhere}, "index": {declaredElsewhere},
		}),
	})
}

// RagQueryExternal answers a question from the external docs.
func (h *Handler) RagQueryExternal(ctx context.Context, in RagQueryExternalInput) (RagQueryExternalOutput, error) {
	active, err := h.workspace.External(ctx)
	if err != nil {
		return RagQueryExternalOutput{}, err
	}
	answered, end, err := h.answer(ctx, active, active.External(), answer.Question{MinLevel: catalog.Standard, Query: rag.Query{
		Text: in.Query, Limit: valueOr(in.MaxSources, active.Definition.Config.Retrieval.MaxResults),
		MinScore: externalThreshold(active, in.MinRelevanceScore),
	}})
	if err != nil {
		return RagQueryExternalOutput{}, err
	}
	out := RagQueryExternalOutput{
		Answer: answered.Text, ExternalDocsPath: active.Definition.Config.ExternalDocs.Path, AnswerEnd: end,
	}
	sources := make([]ExternalSource, len(answered.Sources))
	for i, source := range sourcesOf(answered.Sources, nil) {
		sources[i] = ExternalSource{source.SourceHead, source.BestPassage}
	}
	var unlisted int
	out.Sources, unlisted = fit(sources, maxList-weight(out.Answer))
	out.OmittedCount += unlisted
	return out, nil
}
