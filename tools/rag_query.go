package tools

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/rag/markdown"
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
	Closest    *closestOutput   `json:"closest,omitempty" jsonschema:"The most relevant document, when none reached the threshold."`
	omittedOutput
	CriticalNotConsidered int `json:"critical_not_considered,omitempty" jsonschema:"Critical documents beyond the 20 most relevant."`
	generationOutput
	embeddedOutput
	Index *indexOutput `json:"index,omitempty" jsonschema:"Present while the index is behind the files."`
}

func (o ragQueryOutput) resultCount() int { return len(o.Sources) }

// omittedOutput lists documents that were found but left out of the sources.
type omittedOutput struct {
	OmittedCount int      `json:"omitted_count,omitempty" jsonschema:"Documents found for which context or answer have no room."`
	Omitted      []string `json:"omitted,omitempty" jsonschema:"Paths of the first that are not in the context."`
}

func omittedOf(answer rag.Answer) omittedOutput {
	const most = 10
	paths, _ := fitList(maxSideList, func(int) []string {
		paths := []string{}
		for _, path := range answer.Omitted[:min(len(answer.Omitted), most)] {
			paths = append(paths, wirePath(path))
		}
		return paths
	})
	return omittedOutput{OmittedCount: len(answer.Omitted), Omitted: paths}
}

// generationOutput says that the language model has not written the whole answer.
type generationOutput struct {
	Generation string `json:"generation,omitempty" jsonschema:"\"extractive\" when the language model failed and the answer quotes passages; \"cut short\" when it failed later."`
	Reason     string `json:"generation_reason,omitempty" jsonschema:"Why it failed."`
}

func generationOf(answer rag.Answer) generationOutput {
	switch {
	case answer.FallbackReason != nil:
		return generationOutput{Generation: "extractive", Reason: brief(rag.AsError(answer.FallbackReason).Error())}
	case answer.CutShort != nil:
		return generationOutput{Generation: "cut short", Reason: brief(rag.AsError(answer.CutShort).Error())}
	default:
		return generationOutput{}
	}
}

type sourceOutput struct {
	Path           string    `json:"path"`
	Title          string    `json:"title"`
	CharCount      int       `json:"char_count"`
	RelevanceScore float64   `json:"relevance_score"`
	PromotionLevel rag.Level `json:"promotion_level"`
	supersededOutput
	staleOutput
	bestPassage
}

type linkedDocument struct {
	Path       string `json:"path"`
	Title      string `json:"title"`
	CharCount  int    `json:"char_count"`
	LinkedFrom string `json:"linked_from"`
}

func ragQueryTool() Tool {
	return newProjectTool((*handler).ragQuery, &mcp.Tool{
		Name:  "rag_query",
		Title: "Ask the documents",
		Description: "Answer a question from the project's documents and those they link to, with sources. Critical " +
			"documents are always considered. Use it for questions whose answer is spread over documents. Use " +
			"semantic_search instead to find documents: it is faster and needs no language model.",
		Meta:        alwaysLoaded(),
		Annotations: readOnly(),
		InputSchema: inputSchema[ragQueryInput](map[string][]property{
			"query":               {queryText, example("How do we handle connection pool exhaustion?")},
			"doc_types":           {notNull, example([]string{"problem", "codebase"})},
			"max_sources":         {between(1, 100), example(3)},
			"min_relevance_score": {between(0, 1), example(0.7)},
			"min_promotion_level": {levels, withDefault("standard")},
			"include_critical":    {withDefault(true)},
		}),
		OutputSchema: outputSchema[ragQueryOutput](sharedFields()),
	})
}

func (h *handler) ragQuery(
	ctx context.Context, request *mcp.CallToolRequest, in ragQueryInput,
) (*mcp.CallToolResult, ragQueryOutput, error) {
	out, err := h.ask(ctx, in, h.writingProgress(ctx, request))
	return nil, out, err
}

// ask answers rag_query. onText is called with each piece of the answer that the language
// model writes.
func (h *handler) ask(ctx context.Context, in ragQueryInput, onText func(text string)) (ragQueryOutput, error) {
	active, err := h.workspace.Active(ctx)
	if err != nil {
		return ragQueryOutput{}, err
	}
	query, err := newQuery(active, in.Query, in.DocTypes)
	if err != nil {
		return ragQueryOutput{}, err
	}
	config := active.Definition.Config
	query.Limit = valueOr(in.MaxSources, config.Retrieval.MaxResults)
	least := newThreshold(in.MinRelevanceScore, config.Retrieval.MinRelevanceScore)
	query.MinScore = least.score
	stale := active.Stale(ctx)
	minLevel := rag.Level(valueOr(in.MinPromotionLevel, string(rag.Standard)))
	answer, err := h.workspace.Searcher().Ask(ctx, active.Compounding(), rag.Question{
		Query:           query,
		MinLevel:        minLevel,
		IncludeCritical: valueOr(in.IncludeCritical, true),
		MaxDepth:        config.LinkResolution.MaxDepth,
		MaxLinked:       config.LinkResolution.MaxLinkedDocs,
		OnText:          onText,
	})
	if err != nil {
		return ragQueryOutput{}, err
	}
	if answer.Text == "" {
		answer.Text = least.nothingFound(answer.Closest, len(in.DocTypes) > 0 || minLevel != rag.Standard)
	}
	out := ragQueryOutput{
		Answer: answer.Text, Closest: least.closest(answer.Closest), omittedOutput: omittedOf(answer),
		CriticalNotConsidered: answer.CriticalNotConsidered, generationOutput: generationOf(answer),
		embeddedOutput: embeddedOf(answer.Coverage), Index: indexOf(ctx, active),
	}
	var sources, linked int
	files := stale()
	out.Sources, sources = fitList(maxList-weight(out.Answer), func(limit int) []sourceOutput {
		return sourcesOf(answer.Sources, files, limit)
	})
	out.LinkedDocs, linked = fitList(maxSideList, func(limit int) []linkedDocument { return linkedOf(answer.Linked, limit) })
	out.OmittedCount += sources + linked
	return out, nil
}

func sourcesOf(hits []rag.Hit, stale map[string]string, limit int) []sourceOutput {
	sources := make([]sourceOutput, len(hits))
	for i, hit := range hits {
		sources[i] = sourceOutput{
			Path: wirePath(hit.Path), Title: markdown.CutRunes(hit.Title, limit), CharCount: hit.CharCount,
			RelevanceScore: round(hit.Score), PromotionLevel: hit.Level, supersededOutput: supersededOf(hit),
			staleOutput: staleOf(hit, stale, limit), bestPassage: bestPassageOf(hit, limit),
		}
	}
	return sources
}

func linkedOf(links []rag.Linked, limit int) []linkedDocument {
	documents := make([]linkedDocument, len(links))
	for i, link := range links {
		documents[i] = linkedDocument{
			Path: wirePath(link.Path), Title: markdown.CutRunes(link.Title, limit), CharCount: link.CharCount,
			LinkedFrom: wirePath(link.From),
		}
	}
	return documents
}

// writingProgress returns a callback that notifies the client while the model writes.
// There is no total: the length of the answer is not known.
func (h *handler) writingProgress(ctx context.Context, request *mcp.CallToolRequest) func(text string) {
	progress := newProgress(request, h.logger)
	pieces := 0
	return func(string) {
		pieces++
		progress.notify(ctx, pieces, 0, "writing the answer")
	}
}
