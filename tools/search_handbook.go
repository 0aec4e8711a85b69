package tools

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/compound-docs/compound-docs/rag"
)

const (
	handbookResults    = 5
	maxHandbookResults = 20
)

type searchHandbookInput struct {
	Query string `json:"query" jsonschema:"What to look for, in words or as a question."`
	// NResults is no int: any number is clamped.
	NResults      *float64 `json:"n_results,omitempty" jsonschema:"Number of passages, clamped to 1-20."`
	FilterSection string   `json:"filter_section,omitempty" jsonschema:"Only this section of the handbook, named as results name it. Default: all."`
}

func searchHandbookTool() *mcp.Tool {
	return &mcp.Tool{
		Name:  "search_handbook",
		Title: "Search handbook",
		Description: "Find passages of the handbook (procedures, guidelines, policies) by meaning, best first, quoted in " +
			"full. The handbook belongs to no project and needs none to be active. Use semantic_search for what the " +
			"project's team has learned.",
		Annotations: readOnly(),
		InputSchema: inputSchema[searchHandbookInput](map[string][]property{
			"query":          {aQuery, example("How do I reset my password?")},
			"n_results":      {integer, withDefault(handbookResults)},
			"filter_section": {example("security")},
		}),
	}
}

// integer makes a whole number of what inference takes for any.
func integer(s *jsonschema.Schema) {
	notNull(s)
	s.Type = "integer"
}

// handbookSearch identifies a search. Its edition changes with the handbook, by
// whatever process, so that what was remembered of an earlier one is not found.
type handbookSearch struct {
	edition rag.HandbookEdition
	query   string
	results int
	section string
}

func (h *handler) searchHandbook(
	ctx context.Context, _ *mcp.CallToolRequest, in searchHandbookInput,
) (*mcp.CallToolResult, any, error) {
	start := time.Now()
	if err := checkQuery(in.Query); err != nil {
		return nil, nil, err
	}
	library := h.session.Library()
	edition, err := library.HandbookEdition(ctx)
	if err != nil {
		return nil, nil, err
	}
	if edition == (rag.HandbookEdition{}) {
		return textResult("The handbook is empty: nothing was ever ingested. Run `compound-docs ingest --source DIR` " +
			"in a shell, DIR being the folder of its markdown files; then search again."), nil, nil
	}
	search := handbookSearch{
		edition: edition, query: in.Query, section: in.FilterSection,
		results: int(min(max(valueOr(in.NResults, handbookResults), 1), maxHandbookResults)),
	}
	passages, ok := h.handbook.Get(search)
	if !ok {
		passages, err = library.SearchHandbook(ctx, edition, rag.HandbookQuery{
			Text: search.query, Section: search.section, Limit: search.results,
		})
		if err != nil {
			return nil, nil, err
		}
		h.handbook.Add(search, passages)
	}
	noteResults(ctx, len(passages))
	if len(passages) > 0 {
		return textResult(search.format(passages, time.Since(start))), nil, nil
	}
	sections, err := library.HandbookSections(ctx, edition)
	if err != nil {
		return nil, nil, err
	}
	return textResult(search.formatNone(sections)), nil, nil
}

func textResult(text string) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}
}

func (s handbookSearch) format(passages []rag.HandbookPassage, took time.Duration) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Search Results for: '%s'\nFound %d result(s)", s.query, len(passages))
	if s.section != "" {
		fmt.Fprintf(&b, " in section '%s'", s.section)
	}
	fmt.Fprintf(&b, "\nSearch time: %.3fs\n", took.Seconds())
	for i, p := range passages {
		fmt.Fprintf(&b, "\n--- Result %d ---\nRelevance Score: %.3f\n", i+1, p.Score)
		if p.Section != "" {
			fmt.Fprintf(&b, "Section: %s\n", p.Section)
		}
		if p.Source != "" {
			fmt.Fprintf(&b, "Source: %s\n", p.Source)
		}
		fmt.Fprintf(&b, "Chunk: %d\n\nContent:\n%s\n", p.Chunk, p.Content)
	}
	return b.String()
}

// formatNone tells why nothing was found: every section has passages, so either
// there is no such section or no document at all.
func (s handbookSearch) formatNone(sections []string) string {
	text := fmt.Sprintf("No results found for query: '%s'", s.query)
	switch {
	case len(sections) == 0:
		return text + "\nThe handbook holds no document."
	case s.section != "":
		return text + fmt.Sprintf("\nThe handbook has no section '%s'; its sections are: %s", s.section, strings.Join(sections, ", "))
	}
	return text
}
