package tools_test

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/tools"
)

// Commands are refused in the words in which the schemas refuse clients.
func TestRun_ChecksWhatSchemasCheck(t *testing.T) {
	t.Parallel()
	f := setup(t)
	c := connect(t, f.server, protocolVersions()["handshake"])
	h, ctx := f.handler, t.Context()
	search := func(in tools.SemanticSearchInput) error {
		_, err := tools.Run(ctx, h, "semantic_search", (*tools.Handler).SemanticSearch, in)
		return err
	}
	external := func(in tools.SearchExternalDocsInput) error {
		_, err := tools.Run(ctx, h, "search_external_docs", (*tools.Handler).SearchExternalDocs, in)
		return err
	}
	ask := func(in tools.RagQueryInput) error {
		_, err := tools.Run(ctx, h, "rag_query", (*tools.Handler).RagQuery, in)
		return err
	}
	askExternal := func(in tools.RagQueryExternalInput) error {
		_, err := tools.Run(ctx, h, "rag_query_external", (*tools.Handler).RagQueryExternal, in)
		return err
	}
	for _, tt := range []struct {
		tool      string
		arguments arguments
		err       error
	}{
		{"semantic_search", arguments{"query": "a", "limit": 0}, search(tools.SemanticSearchInput{Query: "a", Limit: new(0)})},
		{"semantic_search", arguments{"query": "a", "min_relevance_score": 1.5}, search(tools.SemanticSearchInput{Query: "a", MinRelevanceScore: new(1.5)})},
		{"semantic_search", arguments{"query": "a", "mode": "guess"}, search(tools.SemanticSearchInput{Query: "a", Mode: "guess"})},
		{"semantic_search", arguments{"query": " "}, search(tools.SemanticSearchInput{Query: " "})},
		{"search_external_docs", arguments{"query": "a", "limit": -1}, external(tools.SearchExternalDocsInput{Query: "a", Limit: new(-1)})},
		{"search_external_docs", arguments{"query": "a", "mode": "guess"}, external(tools.SearchExternalDocsInput{Query: "a", Mode: "guess"})},
		{"rag_query", arguments{"query": "a", "max_sources": 101}, ask(tools.RagQueryInput{Query: "a", MaxSources: new(101)})},
		{"rag_query", arguments{"query": "a", "min_promotion_level": "urgent"}, ask(tools.RagQueryInput{Query: "a", MinPromotionLevel: "urgent"})},
		{"rag_query_external", arguments{"query": "a", "max_sources": 0}, askExternal(tools.RagQueryExternalInput{Query: "a", MaxSources: new(0)})},
	} {
		if tt.err == nil {
			t.Errorf("%s takes %v", tt.tool, tt.arguments)
			continue
		}
		if diff := cmp.Diff(c.fail(t, tt.tool, tt.arguments).Message, tt.err.Error()); diff != "" {
			t.Errorf("%s with %v (-client +command):\n%s", tt.tool, tt.arguments, diff)
		}
	}
	for want, err := range map[string]error{
		"promotion_levels[0] is":                  search(tools.SemanticSearchInput{Query: "a", SearchFilters: tools.SearchFilters{PromotionLevels: []catalog.Level{"urgent"}}}),
		"a number of the arguments is not finite": search(tools.SemanticSearchInput{Query: "a", MinRelevanceScore: new(math.NaN())}),
		`query is "aaa`:                           search(tools.SemanticSearchInput{Query: strings.Repeat("a", 10_001)}),
	} {
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v does not begin with %q", err, want)
		}
	}
}
