package tools

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/compound-docs/compound-docs/rag"
)

type ragQueryInput struct {
	Query             string   `json:"query" jsonschema:"Natural language question."`
	DocTypes          []string `json:"doc_types,omitempty" jsonschema:"Only these doc-types; see list_doc_types. Default: all."`
	MaxSources        *int     `json:"max_sources,omitempty" jsonschema:"Maximum documents to use, critical and linked ones not counted. Default: 3, or what the project configures."`
	MinRelevanceScore *float64 `json:"min_relevance_score,omitempty" jsonschema:"Leave out documents below this relevance. Default: 0.7, or what the project configures."`
	MinPromotionLevel *string  `json:"min_promotion_level,omitempty" jsonschema:"Only documents at or above this level."`
	IncludeCritical   *bool    `json:"include_critical,omitempty" jsonschema:"Put critical documents first whatever their relevance."`
}

type ragQueryOutput struct {
	Answer     string           `json:"answer"`
	Sources    []sourceOutput   `json:"sources"`
	LinkedDocs []linkedDocument `json:"linked_docs"`
	Closest    *closestOutput   `json:"closest,omitempty" jsonschema:"The nearest document, when none reached min_relevance_score."`
	generationOutput
	Index *indexOutput `json:"index,omitempty" jsonschema:"Present while the index is behind the files."`
}

// generationOutput tells that an answer was not written by the language model.
type generationOutput struct {
	Generation string `json:"generation,omitempty" jsonschema:"\"extractive\" when the language model failed and the answer quotes passages."`
	Reason     string `json:"generation_reason,omitempty" jsonschema:"Why the answer quotes passages."`
}

func generationOf(answer rag.Answer) generationOutput {
	if answer.Extractive == nil {
		return generationOutput{}
	}
	return generationOutput{Generation: "extractive", Reason: rag.AsError(answer.Extractive).Error()}
}

type sourceOutput struct {
	Path           string    `json:"path"`
	Title          string    `json:"title"`
	CharCount      int       `json:"char_count"`
	RelevanceScore float64   `json:"relevance_score"`
	PromotionLevel rag.Level `json:"promotion_level"`
	bestPassage
}

type linkedDocument struct {
	Path       string `json:"path"`
	Title      string `json:"title"`
	CharCount  int    `json:"char_count"`
	LinkedFrom string `json:"linked_from"`
}

func ragQueryTool() *mcp.Tool {
	return &mcp.Tool{
		Name:  "rag_query",
		Title: "Ask the documents",
		Description: "Answer a question from the project's documents and those they link to, with sources. Critical " +
			"documents are always considered. Use it for questions whose answer is spread over documents. Use " +
			"semantic_search instead to find documents: it is faster and needs no language model.",
		Annotations: readOnly(),
		InputSchema: inputSchema[ragQueryInput](map[string][]property{
			"query":               {aQuery, example("How do we handle connection pool exhaustion?")},
			"doc_types":           {notNull, example([]string{"problem", "codebase"})},
			"max_sources":         {between(1, 100), example(3)},
			"min_relevance_score": {between(0, 1), example(0.7)},
			"min_promotion_level": {levels, withDefault("standard")},
			"include_critical":    {withDefault(true)},
		}),
		OutputSchema: outputSchema[ragQueryOutput](map[string][]property{"index": {indexFields}}),
	}
}

func (h *handler) ragQuery(
	ctx context.Context, request *mcp.CallToolRequest, in ragQueryInput,
) (*mcp.CallToolResult, ragQueryOutput, error) {
	active, err := h.session.Active(ctx)
	if err != nil {
		return nil, ragQueryOutput{}, err
	}
	query, err := newQuery(active, in.Query, in.DocTypes)
	if err != nil {
		return nil, ragQueryOutput{}, err
	}
	config := active.Project.Config
	query.Limit = valueOr(in.MaxSources, config.Retrieval.MaxResults)
	query.MinScore = valueOr(in.MinRelevanceScore, config.Retrieval.MinRelevanceScore)
	answer, err := h.session.Library().Ask(ctx, active.Compounding(), rag.Question{
		Query:           query,
		MinLevel:        rag.Level(valueOr(in.MinPromotionLevel, string(rag.Standard))),
		IncludeCritical: valueOr(in.IncludeCritical, true),
		MaxDepth:        config.LinkResolution.MaxDepth,
		MaxLinked:       config.LinkResolution.MaxLinkedDocs,
		OnText:          h.writingProgress(ctx, request),
	})
	if err != nil {
		return nil, ragQueryOutput{}, err
	}
	out := ragQueryOutput{
		Answer: answer.Text, Sources: sourcesOf(answer.Sources), LinkedDocs: make([]linkedDocument, 0, len(answer.Linked)),
		Closest: closestOf(answer.Closest), generationOutput: generationOf(answer), Index: indexOf(ctx, active),
	}
	for _, link := range answer.Linked {
		out.LinkedDocs = append(out.LinkedDocs, linkedDocument{
			Path: wirePath(link.Path), Title: link.Title, CharCount: link.CharCount, LinkedFrom: wirePath(link.From),
		})
	}
	return nil, out, nil
}

func sourcesOf(hits []rag.Hit) []sourceOutput {
	sources := make([]sourceOutput, 0, len(hits))
	for _, hit := range hits {
		sources = append(sources, sourceOutput{
			Path: wirePath(hit.Path), Title: hit.Title, CharCount: hit.CharCount, RelevanceScore: round(hit.Score),
			PromotionLevel: hit.Level,
			bestPassage:    bestPassageOf(hit),
		})
	}
	return sources
}

// writingProgress tells the client that the model is writing, without a total:
// nobody knows how long an answer will be.
func (h *handler) writingProgress(ctx context.Context, request *mcp.CallToolRequest) func(text string) {
	progress := newProgress(request, h.logger)
	pieces := 0
	return func(string) {
		pieces++
		progress.notify(ctx, pieces, 0, "writing the answer")
	}
}
