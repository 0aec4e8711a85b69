package tools

import (
	"cmp"
	"context"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/compound-docs/compound-docs/internal/workspace"
	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/rag/answer"
	"github.com/compound-docs/compound-docs/rag/apierror"
	"github.com/compound-docs/compound-docs/rag/catalog"
)

// RagQueryInput has the parameters of rag_query.
type RagQueryInput struct {
	Query             string        `json:"query" jsonschema:"Natural language question."`
	DocTypes          []string      `json:"doc_types,omitempty" jsonschema:"Only these doc-types; see list_doc_types. Default: all."`
	MaxSources        *int          `json:"max_sources,omitempty" jsonschema:"Maximum documents, critical and linked ones not counted. Default: 3, or as configured."`
	MinRelevanceScore *float64      `json:"min_relevance_score,omitempty" jsonschema:"Minimum relevance. Default: 0.7, or as configured."`
	MinPromotionLevel catalog.Level `json:"min_promotion_level,omitempty" jsonschema:"Only documents at or above this level."`
	IncludeCritical   *bool         `json:"include_critical,omitempty" jsonschema:"Add the critical documents of every doc-type, whatever their relevance."`
}

// RagQueryOutput is the answer of rag_query.
type RagQueryOutput struct {
	Answer     string           `json:"answer"`
	Sources    []Source         `json:"sources"`
	LinkedDocs []LinkedDocument `json:"linked_docs"`
	AnswerEnd
}

// AnswerEnd has the fields at the end of the answers of rag_query and rag_query_external.
type AnswerEnd struct {
	gradeOutput
	// OmittedCount is how many of the found documents did not fit into the context of the language model. Omitted has
	// the first paths of these documents.
	OmittedCount int      `json:"omitted_count,omitempty"`
	Omitted      []string `json:"omitted,omitempty"`

	Generation string `json:"generation,omitempty"`
	Reason     string `json:"generation_reason,omitempty"`
	coverageOutput
	Index *IndexStatus `json:"index,omitempty"`
}

// maxOmitted is how many paths of omitted documents an answer names.
const maxOmitted = 10

// answer answers a question from documents of the scope. The text of an unsure answer says that it is unsure.
func (h *Handler) answer(
	ctx context.Context, active *workspace.Project, scope catalog.Scope, question answer.Question,
) (answer.Answer, AnswerEnd, error) {
	before := active.Status()
	pieces := 0 // pieces of the answer so far
	question.OnText = func(text string) {
		pieces++
		message := "writing the answer"
		if text == "" {
			message = "reading the documents"
		}
		reportProgress(ctx, Progress{Done: pieces, Message: message, Text: text})
	}
	answered, err := h.workspace.Answerer.Ask(ctx, scope, question)
	if err != nil {
		return answer.Answer{}, AnswerEnd{}, err
	}
	filtered := question.Filter.Narrows() || question.MinLevel != catalog.Standard
	end := AnswerEnd{
		gradeOutput: gradeOf(answered.Grade, answered.MayAnswer), OmittedCount: len(answered.Omitted),
		coverageOutput: coverageOf(answered.Coverage, rag.Hybrid),
		Index:          indexOfHits(active, before, scope.Collection, answered.Fallback != nil, answered.Sources, answered.MayAnswer),
	}
	for _, path := range answered.Omitted[:min(len(answered.Omitted), maxOmitted)] {
		end.Omitted = append(end.Omitted, wirePath(path))
	}
	end.Omitted, _ = fit(end.Omitted, maxSideList)
	switch {
	case answered.FallbackReason != nil:
		end.Generation, end.Reason = "extractive", brief(apierror.AsError(answered.FallbackReason).Error())
	case answered.CutShort != nil:
		end.Generation, end.Reason = "cut short", brief(apierror.AsError(answered.CutShort).Error())
	}
	other, _ := h.elsewhere(ctx, active, scope.Collection, question.Text, answered.Grade, filtered)
	switch answered.Grade {
	case rag.Answers:
	case rag.MayAnswer:
		text := cmp.Or(answered.Text, "No document is likely enough to answer from it; may_answer names the nearest.")
		unsure := fmt.Sprintf("Not sure: no document reaches the minimum relevance of %g.", question.MinScore)
		answered.Text = unsure + other + "\n\n" + text
	default:
		if len(answered.Sources) > 0 {
			other += " The sources are critical documents, which hold for all work."
		}
		answered.Text = nothingFound(active, before, scope.Collection, answered.Empty, filtered) + other
	}
	return answered, end, nil
}

// SourceHead has the first fields of a source, for rag_query and rag_query_external.
type SourceHead struct {
	Path           string  `json:"path"`
	Title          string  `json:"title"`
	CharCount      int     `json:"char_count"`
	RelevanceScore float64 `json:"relevance_score"`
	Status         string  `json:"status,omitempty"`
}

// Source is a document that an answer is based on.
type Source struct {
	SourceHead
	PromotionLevel catalog.Level `json:"promotion_level"`
	Date           string        `json:"date,omitempty"`
	SupersededBy   string        `json:"superseded_by,omitempty"`
	Stale          string        `json:"stale,omitempty"`
	BestPassage
}

// LinkedDocument is a document to which a source, or another linked document, links.
type LinkedDocument struct {
	Path         string `json:"path"`
	Title        string `json:"title"`
	CharCount    int    `json:"char_count"`
	LinkedFrom   string `json:"linked_from"`
	SupersededBy string `json:"superseded_by,omitempty"`
	Status       string `json:"status,omitempty"`
}

func ragQueryTool() Tool {
	return newTool(ofModel, (*Handler).RagQuery, &mcp.Tool{
		Name:  "rag_query",
		Title: "Ask the documents",
		Description: "Answer a question from the project's documents and those they link to, with sources. Critical " +
			"documents of every doc-type are considered by default. Use it for questions whose answer is spread over documents. Use " +
			"semantic_search to find documents: it is faster and needs no language model.",
		Meta:        alwaysLoaded(),
		Annotations: readOnly(),
		InputSchema: inputSchema[RagQueryInput](map[string][]property{
			"query":               {queryText, example("How do we handle connection pool exhaustion?")},
			"doc_types":           {notNull, example([]string{"problem", "codebase"})},
			"max_sources":         {between(1, 100), example(3)},
			"min_relevance_score": {between(0, 1), example(0.7)},
			"min_promotion_level": {levels, withDefault("standard")},
			"include_critical":    {withDefault(true)},
		}),
		OutputSchema: outputSchema[RagQueryOutput](map[string][]property{
			"may_answer": {declaredElsewhere}, "index": {declaredElsewhere},
		}),
	})
}

// RagQuery answers a question from the project's own documents.
func (h *Handler) RagQuery(ctx context.Context, in RagQueryInput) (RagQueryOutput, error) {
	active, err := h.workspace.Active(ctx)
	if err != nil {
		return RagQueryOutput{}, err
	}
	if err := checkDocTypes(active, in.DocTypes); err != nil {
		return RagQueryOutput{}, err
	}
	config := active.Definition.Config
	answered, end, err := h.answer(ctx, active, active.Compounding(), answer.Question{
		Query: rag.Query{
			Text: in.Query, Filter: rag.Filter{DocTypes: in.DocTypes},
			Limit:    valueOr(in.MaxSources, config.Retrieval.MaxResults),
			MinScore: valueOr(in.MinRelevanceScore, config.Retrieval.MinRelevanceScore),
		},
		MinLevel:        cmp.Or(in.MinPromotionLevel, catalog.Standard),
		IncludeCritical: valueOr(in.IncludeCritical, true),
		MaxDepth:        config.LinkResolution.MaxDepth,
		MaxLinked:       config.LinkResolution.MaxLinkedDocs,
		Stale:           func(documents []string) map[string]string { return active.Stale(ctx, documents) },
	})
	if err != nil {
		return RagQueryOutput{}, err
	}
	out := RagQueryOutput{Answer: answered.Text, AnswerEnd: end}
	var sources, linked int
	stale := active.Stale(ctx, rag.Paths(answered.Sources))
	out.Sources, sources = fit(sourcesOf(answered.Sources, stale), maxList-weight(out.Answer))
	out.LinkedDocs, linked = fit(linkedOf(answered.Linked), maxSideList)
	out.OmittedCount += sources + linked
	return out, nil
}

func sourcesOf(hits []rag.Hit, stale map[string]string) []Source {
	limit := textLimit(len(hits))
	sources := make([]Source, len(hits))
	for i, hit := range hits {
		sources[i] = Source{
			SourceHead: SourceHead{
				Path: wirePath(hit.Path), Title: cutLine(hit.Title, limit), CharCount: hit.CharCount,
				RelevanceScore: round(hit.Score), Status: brief(hit.Mark()),
			},
			PromotionLevel: hit.Level, Date: hit.Date,
			SupersededBy: wirePath(hit.SupersededBy), Stale: cutLine(stale[hit.Path], limit), BestPassage: bestPassageOf(hit, limit),
		}
	}
	return sources
}

func linkedOf(links []answer.Linked) []LinkedDocument {
	limit := textLimit(len(links))
	documents := make([]LinkedDocument, len(links))
	for i, link := range links {
		documents[i] = LinkedDocument{
			Path: wirePath(link.Path), Title: cutLine(link.Title, limit), CharCount: link.CharCount,
			LinkedFrom: wirePath(link.From), SupersededBy: wirePath(link.SupersededBy), Status: brief(link.Mark()),
		}
	}
	return documents
}
