package tools

import (
	"context"
	"math"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/compound-docs/compound-docs/internal/workspace"
	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/rag/markdown"
)

// maxQuery bounds a query, in characters. An embedding model reads about 2,000.
const maxQuery = 10_000

type semanticSearchInput struct {
	Query             string   `json:"query" jsonschema:"What to look for, in words or as a question."`
	DocTypes          []string `json:"doc_types,omitempty" jsonschema:"Only these doc-types; see list_doc_types. Default: all."`
	Limit             *int     `json:"limit,omitempty" jsonschema:"Maximum results. Default: 10, or what the project configures."`
	MinRelevanceScore *float64 `json:"min_relevance_score,omitempty" jsonschema:"Leave out results below this relevance. Default: 0.5, or what the project configures."`
	PromotionLevels   []string `json:"promotion_levels,omitempty" jsonschema:"Only these levels. Default: all."`
	Mode              rag.Mode `json:"mode,omitempty" jsonschema:"By meaning (vector), by words (lexical, works without Ollama), or both."`
}

type semanticSearchOutput struct {
	Results      []searchResult `json:"results"`
	TotalMatches int            `json:"total_matches" jsonschema:"Number of results."`
	OmittedCount int            `json:"omitted_count,omitempty" jsonschema:"Further results, for which an answer has no room."`
	Closest      *closestOutput `json:"closest,omitempty" jsonschema:"The most relevant document, when none reached min_relevance_score."`
	coverageOutput
	Index *indexOutput `json:"index,omitempty" jsonschema:"Present while the index is behind the files."`
}

func (o semanticSearchOutput) resultCount() int { return len(o.Results) }

type searchResult struct {
	Path           string    `json:"path"`
	Title          string    `json:"title"`
	Summary        string    `json:"summary"`
	CharCount      int       `json:"char_count"`
	RelevanceScore float64   `json:"relevance_score" jsonschema:"Of the best passage, by meaning and words, 0 to 1."`
	DocType        string    `json:"doc_type"`
	Date           string    `json:"date"`
	PromotionLevel rag.Level `json:"promotion_level"`
	supersededOutput
	staleOutput
	bestPassage
	snippetOutput
}

// supersededOutput names the document to read instead.
type supersededOutput struct {
	SupersededBy string `json:"superseded_by,omitempty" jsonschema:"Document that replaces this one."`
}

func supersededOf(hit rag.Hit) supersededOutput {
	if hit.SupersededBy == "" {
		return supersededOutput{}
	}
	return supersededOutput{wirePath(hit.SupersededBy)}
}

// staleOutput warns of a document.
type staleOutput struct {
	Stale string `json:"stale,omitempty" jsonschema:"Why it may be outdated."`
}

// staleOf takes what became of the files of documents, by the documents' paths.
func staleOf(hit rag.Hit, stale map[string]string, limit int) staleOutput {
	return staleOutput{markdown.CutRunes(stale[hit.Path], limit)}
}

// bestPassage is the part of a document to read.
type bestPassage struct {
	HeaderPath string `json:"header_path,omitempty"`
	StartLine  int    `json:"start_line" jsonschema:"First line of the best passage."`
	EndLine    int    `json:"end_line"`
}

// snippetOutput quotes the best passage.
type snippetOutput struct {
	Snippet string `json:"snippet,omitempty" jsonschema:"Part of the best passage."`
}

func semanticSearchTool() Tool {
	return newProjectTool((*handler).semanticSearch, &mcp.Tool{
		Name:  "semantic_search",
		Title: "Search documents",
		Description: "Find the project's documents (solved problems, insights, architecture, tool gotchas, style rules) by " +
			"meaning and by words, best first, each with the lines of its best passage to open. Use it to find out whether something is " +
			"known. Use rag_query instead for one answer drawn from several documents.",
		Meta:        alwaysLoaded(),
		Annotations: readOnly(),
		InputSchema: inputSchema[semanticSearchInput](map[string][]property{
			"query":               {queryText, example("connection pool exhausted")},
			"doc_types":           {notNull, example([]string{"problem", "tool"})},
			"limit":               {between(1, 100), example(10)},
			"min_relevance_score": {between(0, 1), example(0.5)},
			"promotion_levels":    {levels, example([]string{"important", "critical"})},
			"mode":                {modes},
		}),
		OutputSchema: outputSchema[semanticSearchOutput](map[string][]property{"index": {fieldsAsIn("activate_project")}}),
	})
}

func (h *handler) semanticSearch(
	ctx context.Context, _ *mcp.CallToolRequest, in semanticSearchInput,
) (*mcp.CallToolResult, semanticSearchOutput, error) {
	active, query, least, err := h.searchQuery(ctx, in)
	if err != nil {
		return nil, semanticSearchOutput{}, err
	}
	stale := active.Stale(ctx)
	hits, err := h.workspace.Searcher().Search(ctx, active.Compounding(), query)
	if err != nil {
		return nil, semanticSearchOutput{}, err
	}
	files := stale()
	results, omitted := fitList(maxList, func(limit int) []searchResult { return searchResults(hits.Documents, files, limit) })
	return nil, semanticSearchOutput{
		Results: results, TotalMatches: len(results), OmittedCount: omitted,
		Closest: least.closest(hits.Closest), coverageOutput: coverageOf(hits.Coverage, in.Mode), Index: indexOf(ctx, active),
	}, nil
}

// searchQuery returns the active project, and what the arguments and its config ask for.
func (h *handler) searchQuery(
	ctx context.Context, in semanticSearchInput,
) (active *workspace.Project, query rag.Query, least threshold, err error) {
	if active, err = h.workspace.Active(ctx); err != nil {
		return nil, rag.Query{}, threshold{}, err
	}
	if query, err = newQuery(active, in.Query, in.DocTypes); err != nil {
		return nil, rag.Query{}, threshold{}, err
	}
	defaults := active.Definition.Config.SemanticSearch
	query.Mode, query.Limit = in.Mode, valueOr(in.Limit, defaults.DefaultLimit)
	least = newThreshold(in.MinRelevanceScore, defaults.MinRelevanceScore)
	query.MinScore = least.score
	for _, level := range in.PromotionLevels {
		query.Levels = append(query.Levels, rag.Level(level))
	}
	return active, query, least, nil
}

func searchResults(hits []rag.Hit, stale map[string]string, limit int) []searchResult {
	results := make([]searchResult, len(hits))
	for i, hit := range hits {
		results[i] = searchResult{
			Path: wirePath(hit.Path), Title: markdown.CutRunes(hit.Title, limit), Summary: markdown.CutRunes(hit.Summary, limit),
			CharCount: hit.CharCount, RelevanceScore: round(hit.Score), DocType: hit.DocType, Date: hit.Date,
			PromotionLevel: hit.Level, supersededOutput: supersededOf(hit), staleOutput: staleOf(hit, stale, limit),
			bestPassage: bestPassageOf(hit, limit), snippetOutput: snippetOutput{hit.Snippet},
		}
	}
	return results
}

// bestPassageOf cuts the headings to limit characters.
func bestPassageOf(hit rag.Hit, limit int) bestPassage {
	return bestPassage{HeaderPath: markdown.CutRunes(hit.HeaderPath, limit), StartLine: hit.StartLine, EndLine: hit.EndLine}
}

// newQuery checks the text and the doc-types of a search.
func newQuery(active *workspace.Project, text string, docTypes []string) (rag.Query, error) {
	if err := checkQuery(text); err != nil {
		return rag.Query{}, err
	}
	known := make([]string, 0, len(active.Definition.DocTypes()))
	for _, docType := range active.Definition.DocTypes() {
		known = append(known, docType.Name)
	}
	for _, docType := range docTypes {
		if !slices.Contains(known, docType) {
			return rag.Query{}, rag.Errorf(rag.InvalidDocType, "doc_types names %q, which this project does not have; it has %s",
				brief(docType), strings.Join(known, ", ")).With("parameter", "doc_types").With("doc_types", known)
		}
	}
	return rag.Query{Text: text, DocTypes: docTypes}, nil
}

// checkQuery returns an error if the query is blank.
func checkQuery(text string) error {
	if strings.TrimSpace(text) == "" {
		return rag.Errorf(rag.InvalidArgument,
			`query is empty; give what to look for, for example "connection pool exhausted"`).With("parameter", "query")
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
