package tools

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/compound-docs/compound-docs/internal/plain"
	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/rag/index"
	"github.com/compound-docs/compound-docs/rag/markdown"
)

const (
	handbookResults    = 5
	maxHandbookResults = 20
	// cachedSearches is how many searches the cache keeps.
	cachedSearches = 100
	// maxPassage limits the text of a passage, in characters.
	maxPassage = 3000
	// maxSections is the maximum number of sections that an answer names.
	maxSections = 50
)

// SearchHandbookInput has the parameters of search_handbook.
type SearchHandbookInput struct {
	Query string `json:"query" jsonschema:"Words or a question."`
	// NResults is a float64, so that even a number too large for an int can be clamped.
	NResults      *float64 `json:"n_results,omitempty" jsonschema:"Number of passages, clamped to 1-20."`
	FilterSection string   `json:"filter_section,omitempty" jsonschema:"Only this section of the handbook, named as results name it. Default: all."`
}

// SearchHandbookOutput has the passages that a search has found. MCP clients get only Text.
type SearchHandbookOutput struct {
	Results      []HandbookResult `json:"results"`
	TotalMatches int              `json:"total_matches"`
	Text         string           `json:"-"`
}

func (o SearchHandbookOutput) forClient() any { return o.Text }

// HandbookResult is a passage of the handbook.
type HandbookResult struct {
	Source         string  `json:"source"`
	Section        string  `json:"section,omitempty"`
	Status         string  `json:"status,omitempty"`
	Chunk          int     `json:"chunk"`
	RelevanceScore float64 `json:"relevance_score"`
	Content        string  `json:"content"`
}

func searchHandbookTool() Tool {
	return newTool(ofServer, (*Handler).SearchHandbook, &mcp.Tool{
		Name:  "search_handbook",
		Title: "Search handbook",
		Description: "Find passages of the handbook (procedures, guidelines, policies) by meaning and words, best " +
			"first. The handbook belongs to no project and needs none to be active. Use semantic_search for what the " +
			"project's team has learned.",
		Meta:        searchHint("find sections of the handbook"),
		Annotations: readOnly(),
		InputSchema: inputSchema[SearchHandbookInput](map[string][]property{
			"query":          {queryText, example("How do I reset my password?")},
			"n_results":      {integer, withDefault(handbookResults)},
			"filter_section": {example("security")},
		}),
	})
}

// integer sets the type "integer", because the inferred type of a float64 is "number".
func integer(s *jsonschema.Schema) {
	notNull(s)
	s.Type = "integer"
}

// SearchHandbook finds passages of the handbook.
func (h *Handler) SearchHandbook(ctx context.Context, in SearchHandbookInput) (SearchHandbookOutput, error) {
	start := time.Now()
	search := handbookSearch{
		query: in.Query, section: in.FilterSection,
		results: int(min(max(valueOr(in.NResults, handbookResults), 1), maxHandbookResults)),
	}
	found, err := h.findInHandbook(ctx, search)
	if err != nil {
		return SearchHandbookOutput{}, err
	}
	out := SearchHandbookOutput{Results: make([]HandbookResult, len(found.passages)), TotalMatches: len(found.passages)}
	for i, p := range found.passages {
		out.Results[i] = HandbookResult{
			Source: p.Path, Section: p.DocType, Status: brief(p.Mark()), Chunk: p.Ordinal, RelevanceScore: round(p.Score),
			Content: p.Content,
		}
	}
	switch {
	case found.edition == (index.HandbookEdition{}):
		out.Text = "The handbook is empty: nothing was ever ingested. Run `compound-docs ingest DIR` " +
			"in a shell, DIR being the folder of its markdown files; then search again."
	case len(found.passages) == 0:
		out.Text = search.formatNone(found.sections)
	default:
		out.Text = search.format(found.passages, time.Since(start))
	}
	return out, nil
}

// handbookSearch has the parameters of a search, and is the key of the cache.
type handbookSearch struct {
	query   string
	results int
	section string
}

// handbookHits is the result of a search in one edition. Every change of the handbook makes a new edition.
type handbookHits struct {
	edition  index.HandbookEdition
	passages []rag.Hit
	// sections are all sections of the handbook. They are set only if the search found no passage.
	sections []string
}

// findInHandbook returns the cached result of a search, or searches again if the handbook has changed since then.
func (h *Handler) findInHandbook(ctx context.Context, search handbookSearch) (handbookHits, error) {
	edition, err := h.workspace.Handbook(ctx)
	if err != nil || edition == (index.HandbookEdition{}) {
		return handbookHits{}, err
	}
	known, cached := h.handbook.Get(search)
	hit := cached && known.edition == edition
	h.logger.DebugContext(ctx, "handbook cache", "hit", hit)
	if hit {
		return known, nil
	}
	query := rag.Query{Text: search.query, Limit: search.results, EachPassage: true}
	if search.section != "" {
		query.DocTypes = []string{search.section}
	}
	hits, err := h.workspace.Searcher.Search(ctx, edition.Scope(), query)
	if err != nil {
		return handbookHits{}, err
	}
	found := handbookHits{edition: edition, passages: hits.Documents}
	if len(found.passages) == 0 {
		found.sections, err = h.workspace.HandbookSections(ctx, edition)
		if err != nil {
			return handbookHits{}, err
		}
	}
	if hits.Embedded == 1 { // a missing vector may come later, and does not make a new edition
		h.handbook.Add(search, found)
	}
	return found, nil
}

func (s handbookSearch) format(passages []rag.Hit, took time.Duration) string {
	all := make([]string, len(passages))
	for i, p := range passages {
		var b strings.Builder
		fmt.Fprintf(&b, "\n--- Result %d ---\nRelevance Score: %.3f\n", i+1, p.Score)
		if p.DocType != "" {
			fmt.Fprintf(&b, "Section: %s\n", brief(p.DocType))
		}
		if p.Path != "" {
			fmt.Fprintf(&b, "Source: %s\n", plain.Path(p.Path))
		}
		if mark := p.Mark(); mark != "" {
			fmt.Fprintf(&b, "Status: %s\n", brief(mark))
		}
		fmt.Fprintf(&b, "Chunk: %d\n\nContent:\n%s\n", p.Ordinal, markdown.CutRunes(p.Content, maxPassage))
		all[i] = b.String()
	}
	results, omitted := fit(all, maxList)
	head := fmt.Sprintf("Search Results for: '%s'\nFound %d result(s)", brief(s.query), len(passages))
	if s.section != "" {
		head += fmt.Sprintf(" in section '%s'", brief(s.section))
	}
	text := fmt.Sprintf("%s\nSearch time: %.3fs\n%s", head, took.Seconds(), strings.Join(results, ""))
	if omitted > 0 {
		text += fmt.Sprintf("\nThe other %d result(s) do not fit an answer; search with a smaller n_results.\n", omitted)
	}
	return text
}

// formatNone returns the text of an answer without a passage. Every section has passages, so a search by section finds
// nothing only if there is no such section.
func (s handbookSearch) formatNone(sections []string) string {
	text := fmt.Sprintf("No results found for query: '%s'", brief(s.query))
	switch {
	case len(sections) == 0:
		return text + "\nThe handbook holds no document."
	case s.section != "":
		return text + fmt.Sprintf("\nThe handbook has no section '%s'; its sections are: %s", brief(s.section),
			cutLine(plain.Some(sections, maxSections), maxSideList))
	}
	return text
}
