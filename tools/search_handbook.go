package tools

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/compound-docs/compound-docs/internal/plain"
	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/rag/index"
	"github.com/compound-docs/compound-docs/rag/markdown"
)

const (
	handbookResults    = 5
	maxHandbookResults = 20
	// editionWait bounds the check whether a cached search is still valid.
	editionWait = 5 * time.Second
	// maxPassage bounds the text of a passage, in characters. Only passages that are
	// mostly white space are longer.
	maxPassage = 3000
	// maxSections is how many sections an answer names at most.
	maxSections = 50
)

type searchHandbookInput struct {
	Query string `json:"query" jsonschema:"What to look for, in words or as a question."`
	// NResults is a float64, so that a number too large for an int is clamped too.
	NResults      *float64 `json:"n_results,omitempty" jsonschema:"Number of passages, clamped to 1-20."`
	FilterSection string   `json:"filter_section,omitempty" jsonschema:"Only this section of the handbook, named as results name it. Default: all."`
}

func searchHandbookTool() Tool {
	return newTool((*handler).searchHandbook, &mcp.Tool{
		Name:  "search_handbook",
		Title: "Search handbook",
		Description: "Find passages of the handbook (procedures, guidelines, policies) by meaning, best first, quoted in " +
			"full. The handbook belongs to no project and needs none to be active. Use semantic_search for what the " +
			"project's team has learned.",
		Meta:        searchHint("find sections of the handbook"),
		Annotations: readOnly(),
		InputSchema: inputSchema[searchHandbookInput](map[string][]property{
			"query":          {queryText, example("How do I reset my password?")},
			"n_results":      {integer, withDefault(handbookResults)},
			"filter_section": {example("security")},
		}),
	})
}

// integer sets the type that is not inferred from a float64.
func integer(s *jsonschema.Schema) {
	notNull(s)
	s.Type = "integer"
}

// handbookSearch identifies a search.
type handbookSearch struct {
	query   string
	results int
	section string
}

func (h *handler) searchHandbook(
	ctx context.Context, _ *mcp.CallToolRequest, in searchHandbookInput,
) (*mcp.CallToolResult, handbookPassages, error) {
	passages, text, err := h.answerHandbook(ctx, in)
	return textResult(text), passages, err
}

// handbookPassages are what an answer quotes.
type handbookPassages []rag.Hit

func (p handbookPassages) resultCount() int { return len(p) }

// answerHandbook returns the passages found, and the answer of search_handbook.
func (h *handler) answerHandbook(
	ctx context.Context, in searchHandbookInput,
) (passages []rag.Hit, text string, err error) {
	start := time.Now()
	if err := checkQuery(in.Query); err != nil {
		return nil, "", err
	}
	search := handbookSearch{
		query: in.Query, section: in.FilterSection,
		results: int(min(max(valueOr(in.NResults, handbookResults), 1), maxHandbookResults)),
	}
	found, err := h.findInHandbook(ctx, search)
	switch {
	case err != nil:
		return nil, "", err
	case found.edition == (index.HandbookEdition{}):
		return nil, "The handbook is empty: nothing was ever ingested. Run `compound-docs ingest --source DIR` " +
			"in a shell, DIR being the folder of its markdown files; then search again.", nil
	case len(found.passages) == 0:
		text = search.formatNone(found.sections)
	default:
		text = search.format(found.passages, time.Since(start))
	}
	return found.passages, text, nil
}

// findInHandbook returns the cached result of the search if the handbook has not
// changed since, or if the database cannot say whether it has. Otherwise it searches.
func (h *handler) findInHandbook(ctx context.Context, search handbookSearch) (found handbookFound, err error) {
	known, cached := h.handbook.entries.Get(search)
	edition, err := h.handbookEdition(ctx, cached)
	hit := cached && ctx.Err() == nil && (err != nil || known.edition == edition)
	h.handbook.count(hit)
	h.logger.DebugContext(ctx, "handbook cache", "hit", hit, "hits", h.handbook.hits.Load(), "misses", h.handbook.misses.Load())
	switch {
	case hit && err != nil:
		h.logger.WarnContext(ctx, "answer from an earlier search of the handbook", "error", err)
		return known, nil
	case err != nil:
		return handbookFound{}, err
	case edition == (index.HandbookEdition{}):
		return handbookFound{}, nil
	case hit:
		return known, nil
	}
	query := rag.Query{Text: search.query, Limit: search.results, EachPassage: true}
	if search.section != "" {
		query.DocTypes = []string{search.section}
	}
	hits, err := h.workspace.Searcher().Search(ctx, edition.Scope(), query)
	found = handbookFound{edition: edition, passages: hits.Documents}
	if err == nil && len(found.passages) == 0 {
		found.sections, err = h.workspace.HandbookSections(ctx, edition)
	}
	if err != nil {
		return handbookFound{}, err
	}
	// Vectors that come later change no edition, and what is found.
	if hits.Embedded == 1 {
		h.handbook.entries.Add(search, found)
	}
	return found, nil
}

// handbookEdition returns the current edition. If a cached result can answer without
// it, it waits for the database no longer than editionWait.
func (h *handler) handbookEdition(ctx context.Context, cached bool) (index.HandbookEdition, error) {
	if cached {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, editionWait)
		defer cancel()
	}
	return h.workspace.Handbook(ctx)
}

func (s handbookSearch) format(passages []rag.Hit, took time.Duration) string {
	results, omitted := fit(formatPassages(passages), maxList)
	var b strings.Builder
	fmt.Fprintf(&b, "Search Results for: '%s'\nFound %d result(s)", brief(s.query), len(passages))
	if s.section != "" {
		fmt.Fprintf(&b, " in section '%s'", brief(s.section))
	}
	fmt.Fprintf(&b, "\nSearch time: %.3fs\n", took.Seconds())
	for _, result := range results {
		b.WriteString(result)
	}
	if omitted > 0 {
		fmt.Fprintf(&b, "\nThe other %d result(s) do not fit an answer; search with a smaller n_results.\n", omitted)
	}
	return b.String()
}

func formatPassages(passages []rag.Hit) []string {
	results := make([]string, len(passages))
	for i, p := range passages {
		var b strings.Builder
		fmt.Fprintf(&b, "\n--- Result %d ---\nRelevance Score: %.3f\n", i+1, p.Score)
		if p.DocType != "" {
			fmt.Fprintf(&b, "Section: %s\n", plain.Line(brief(p.DocType)))
		}
		if p.Path != "" {
			fmt.Fprintf(&b, "Source: %s\n", plain.Path(p.Path))
		}
		fmt.Fprintf(&b, "Chunk: %d\n\nContent:\n%s\n", p.Ordinal, markdown.CutRunes(p.Content, maxPassage))
		results[i] = b.String()
	}
	return results
}

// formatNone says why nothing was found. Every section has passages, so either the
// section does not exist or the handbook is empty.
func (s handbookSearch) formatNone(sections []string) string {
	text := fmt.Sprintf("No results found for query: '%s'", brief(s.query))
	switch {
	case len(sections) == 0:
		return text + "\nThe handbook holds no document."
	case s.section != "":
		return text + fmt.Sprintf("\nThe handbook has no section '%s'; its sections are: %s", brief(s.section), nameSections(sections))
	}
	return text
}

func nameSections(sections []string) string {
	named := make([]string, 0, maxSections)
	for _, section := range sections[:min(len(sections), maxSections)] {
		named = append(named, brief(section))
	}
	if more := len(sections) - len(named); more > 0 {
		named = append(named, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(named, ", ")
}

// cachedHandbookResults is how many searches the cache holds.
const cachedHandbookResults = 100

// handbookFound is the result of a search in one edition of the handbook. Every change
// of the handbook, by any process, makes a new edition.
type handbookFound struct {
	edition  index.HandbookEdition
	passages []rag.Hit
	// sections lists those of the handbook. It is set only if there are no passages.
	sections []string
}

// handbookCache holds the results of searches, and counts hits and misses. It is safe
// for concurrent use.
type handbookCache struct {
	entries      *lru.Cache[handbookSearch, handbookFound]
	hits, misses atomic.Int64
}

func newHandbookCache() *handbookCache {
	entries, _ := lru.New[handbookSearch, handbookFound](cachedHandbookResults) // fails for a size below 1
	return &handbookCache{entries: entries}
}

// count counts a search.
func (c *handbookCache) count(hit bool) {
	if hit {
		c.hits.Add(1)
	} else {
		c.misses.Add(1)
	}
}
