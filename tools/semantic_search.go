package tools

import (
	"context"
	"math"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/compound-docs/compound-docs/internal/plain"
	"github.com/compound-docs/compound-docs/internal/workspace"
	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/rag/apierror"
	"github.com/compound-docs/compound-docs/rag/catalog"
)

// SemanticSearchInput has the parameters of semantic_search.
type SemanticSearchInput struct {
	Query             string   `json:"query" jsonschema:"Words or a question."`
	Limit             *int     `json:"limit,omitempty" jsonschema:"Maximum results. Default: 10, or as configured."`
	MinRelevanceScore *float64 `json:"min_relevance_score,omitempty" jsonschema:"Minimum relevance. Default: 0.5, or as configured; 0 with paths."`
	Mode              rag.Mode `json:"mode,omitempty" jsonschema:"By meaning (vector), by words (lexical, works without a model server), or both."`
	SearchFilters
}

// SemanticSearchOutput is the answer of semantic_search.
type SemanticSearchOutput struct {
	Results      []SearchResult `json:"results"`
	TotalMatches int            `json:"total_matches"`
	OmittedCount int            `json:"omitted_count,omitempty"`
	SearchEnd
}

// forClient returns the answer with snippets for only the first maxSnippets results.
func (o SemanticSearchOutput) forClient() any {
	o.Results = slices.Clone(o.Results)
	for i := range o.Results[min(maxSnippets, len(o.Results)):] {
		o.Results[maxSnippets+i].Snippet = ""
	}
	return o
}

// ResultHead has the first fields of a result, for semantic_search and search_external_docs.
type ResultHead struct {
	Path           string  `json:"path"`
	Title          string  `json:"title"`
	Summary        string  `json:"summary"`
	CharCount      int     `json:"char_count"`
	RelevanceScore float64 `json:"relevance_score"`
	Status         string  `json:"status,omitempty"`
}

// ResultEnd has the last fields of a result: which part of the document to read, and why the search found it.
type ResultEnd struct {
	BestPassage
	Snippet     string `json:"snippet,omitempty"`
	MatchedLine string `json:"matched_line,omitempty"`
}

// SearchResult is a document that a search has found.
type SearchResult struct {
	ResultHead
	DocType        string        `json:"doc_type"`
	Date           string        `json:"date"`
	PromotionLevel catalog.Level `json:"promotion_level"`
	SupersededBy   string        `json:"superseded_by,omitempty"`
	Stale          string        `json:"stale,omitempty"`
	ResultEnd
}

// BestPassage is the part of a document to read.
type BestPassage struct {
	HeaderPath string `json:"header_path,omitempty"`
	StartLine  int    `json:"start_line"`
	EndLine    int    `json:"end_line"`
}

func semanticSearchTool() Tool {
	return newTool(ofProject, (*Handler).SemanticSearch, &mcp.Tool{
		Name:  "semantic_search",
		Title: "Search documents",
		Description: "Find the project's documents (solved problems, insights, architecture, tool gotchas, style rules) by " +
			"meaning and by words, best first, each with the lines of its best passage. Use it to find out whether something is " +
			"known. Use rag_query instead for one answer drawn from several documents.",
		Meta:        alwaysLoaded(),
		Annotations: readOnly(),
		InputSchema: inputSchema[SemanticSearchInput](declareFilters(map[string][]property{
			"query":               {queryText, example("connection pool exhausted")},
			"limit":               {between(1, 100), example(10)},
			"min_relevance_score": {between(0, 1), example(0.5)},
			"mode":                {oneOf(rag.Modes()...), withDefault(rag.Hybrid)},
		})),
		OutputSchema: outputSchema[SemanticSearchOutput](map[string][]property{
			"may_answer": {declaredElsewhere}, "index": {declaredElsewhere},
		}),
	})
}

// SemanticSearch finds the project's own documents.
func (h *Handler) SemanticSearch(ctx context.Context, in SemanticSearchInput) (SemanticSearchOutput, error) {
	active, query, err := h.searchQuery(ctx, in)
	if err != nil {
		return SemanticSearchOutput{}, err
	}
	hits, end, err := h.search(ctx, active, active.Compounding(), query)
	if err != nil {
		return SemanticSearchOutput{}, err
	}
	results, omitted := fit(searchResults(hits.Documents, active.Stale(ctx, rag.Paths(hits.Documents))), maxList)
	return SemanticSearchOutput{Results: results, TotalMatches: len(results), OmittedCount: omitted, SearchEnd: end}, nil
}

// searchQuery returns the active project and the query. The project's config has defaults for parameters that are not
// set.
func (h *Handler) searchQuery(ctx context.Context, in SemanticSearchInput) (*workspace.Project, rag.Query, error) {
	active, err := h.workspace.Active(ctx)
	if err != nil {
		return nil, rag.Query{}, err
	}
	defaults := active.Definition.Config.SemanticSearch
	query := rag.Query{
		Text: in.Query, Mode: in.Mode, Limit: valueOr(in.Limit, defaults.DefaultLimit),
		MinScore: valueOr(in.MinRelevanceScore, defaults.MinRelevanceScore),
		Filter:   in.filter(),
	}
	if err := checkDocTypes(active, in.DocTypes); err != nil || len(in.Paths) == 0 {
		return active, query, err
	}
	// With paths, the search returns every document that cites one of them, even if it has no word of the query.
	query.MinScore = valueOr(in.MinRelevanceScore, 0)
	query.Documents, err = active.DocumentsCiting(ctx, in.Paths)
	return active, query, err
}

// searchResults converts hits to results. stale says, by the path of a document, which cited code has changed.
func searchResults(hits []rag.Hit, stale map[string]string) []SearchResult {
	limit := textLimit(len(hits))
	results := make([]SearchResult, len(hits))
	for i, hit := range hits {
		results[i] = SearchResult{
			ResultHead: ResultHead{
				Path: wirePath(hit.Path), Title: cutLine(hit.Title, limit), Summary: cutLine(hit.Summary, limit),
				CharCount: hit.CharCount, RelevanceScore: round(hit.Score), Status: brief(hit.Mark()),
			},
			DocType: hit.DocType, Date: hit.Date, PromotionLevel: hit.Level,
			SupersededBy: wirePath(hit.SupersededBy), Stale: cutLine(stale[hit.Path], limit),
			ResultEnd: ResultEnd{bestPassageOf(hit, limit), plain.Line(hit.Snippet), cutLine(hit.Line, limit)},
		}
	}
	return results
}

// bestPassageOf returns the best passage of a hit. It cuts the headings to limit characters.
func bestPassageOf(hit rag.Hit, limit int) BestPassage {
	return BestPassage{HeaderPath: cutLine(hit.HeaderPath, limit), StartLine: hit.StartLine, EndLine: hit.EndLine}
}

// checkDocTypes refuses a doc-type that the project does not have.
func checkDocTypes(active *workspace.Project, docTypes []string) error {
	known := make([]string, 0, len(active.Definition.DocTypes()))
	for _, docType := range active.Definition.DocTypes() {
		known = append(known, docType.Name)
	}
	for _, docType := range docTypes {
		if !slices.Contains(known, docType) {
			return apierror.Errorf(apierror.InvalidDocType, "%s names %q, which this project does not have; it has %s",
				apierror.Parameter("doc_types"), brief(docType), strings.Join(known, ", ")).
				With("parameter", "doc_types").With("doc_types", known)
		}
	}
	return nil
}

// round rounds a score to the three digits that answers show.
func round(score float64) float64 { return math.Round(score*1000) / 1000 }

func valueOr[T any](value *T, fallback T) T {
	if value == nil {
		return fallback
	}
	return *value
}
