package tools_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/test/await"
	"github.com/compound-docs/compound-docs/test/fakeollama"
)

// mostTokens bounds the cost of an answer for any documents and config: Claude Code
// drops an answer of 25,000 tokens.
const mostTokens = 18_000

// hugeProject has documents whose titles, summaries, headings and paths are as
// long as they can be, many that link to many, and many doc-types.
func hugeProject(t *testing.T, text string) (root string) {
	t.Helper()
	long := func(characters int) string { return strings.Repeat(text, characters/utf8.RuneCountInString(text)) }
	folder := strings.Repeat("a-folder-with-a-long-name/", 8)
	files := map[string]string{}
	links := ""
	for i := range 55 {
		links += fmt.Sprintf("[%d](linked-%d.md) ", i, i)
	}
	for i := range 55 {
		level := "standard"
		if i%4 == 0 {
			level = "critical"
		}
		document := func(links string) string {
			return fmt.Sprintf("---\ntitle: %q\ndate: 2026-01-02\nsummary: %q\nsignificance: correctness\n"+
				"insight_type: domain_knowledge\nimpact_area: everything\npromotion_level: %s\n---\n\n# %s\n\nThe connection pool %d. %s\n\n## %s\n\n%s\n",
				"Pool "+long(1000), long(2000), level, long(1000), i, links, long(1000), "The connection pool.")
		}
		files[fmt.Sprintf("csharp-compounding-docs/insights/%sdoc-%d.md", folder, i)] = document(links)
		files[fmt.Sprintf("csharp-compounding-docs/insights/%slinked-%d.md", folder, i)] = document("")
		files[fmt.Sprintf("docs/%sguide-%d.md", folder, i)] = fmt.Sprintf("# Pool %s\n\n%s\n\nThe connection pool %d.\n", long(1000), long(2000), i)
		files[fmt.Sprintf("csharp-compounding-docs/problems/%sbroken-%d.md", folder, i)] = fmt.Sprintf("---\ntitle: [%q]\n%s: 1\n---\n", long(1000), "x")
	}
	types := longDocTypes(t, files, long)
	config, err := json.Marshal(map[string]any{
		"project_name": "huge", "external_docs": map[string]any{"path": "./docs"}, "custom_doc_types": types,
		"link_resolution": map[string]any{"max_depth": 2, "max_linked_docs": 100},
	})
	if err != nil {
		t.Fatal(err)
	}
	return newProject(t, string(config), files)
}

// longDocTypes returns the config of 100 doc-types of many fields, and adds their
// schema to the files.
func longDocTypes(t *testing.T, files map[string]string, long func(characters int) string) []map[string]string {
	t.Helper()
	const file = "schemas/type.json"
	fields := map[string]any{}
	for i := range 5 { // each type has them: many take the race detector longer than a call may
		fields[fmt.Sprintf("field_%d", i)] = map[string]any{"enum": []string{long(500)}}
	}
	schema, err := json.Marshal(map[string]any{"type": "object", "properties": fields})
	if err != nil {
		t.Fatal(err)
	}
	files["csharp-compounding-docs/"+file] = string(schema)
	types := make([]map[string]string, 100)
	for i := range types {
		types[i] = map[string]string{
			"name": fmt.Sprintf("type-%d", i), "description": long(1000), "folder": fmt.Sprintf("folder-%d", i), "schema_file": file,
		}
	}
	return types
}

// No answer is too long for a client, whatever the documents and the config contain,
// and no text is cut inside a character.
func TestBounds_Answers(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{"ASCII": "word \"<&> ", "three bytes a character": "数据库"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := setup(t)
			c := connect(t, f.server, protocolVersions()["stateless"])
			root := hugeProject(t, text)
			// Under the race detector the text takes longer than one call may.
			await.Until(t, "the text of the huge project is in the index", func() bool {
				a := c.ask(t, "activate_project", activation(root))
				return !a.IsError && strings.Contains(a.Text, `"synced"`)
			})
			query := arguments{"query": "connection pool", "min_relevance_score": 0, "limit": 100}
			ask := arguments{"query": "connection pool", "min_relevance_score": 0, "max_sources": 100}
			for _, call := range []struct {
				tool      string
				arguments arguments
				list      string
			}{
				{"activate_project", activation(root), "doc_types"},
				{"list_doc_types", nil, "doc_types"},
				{"semantic_search", query, "results"},
				{"search_external_docs", query, "results"},
				{"rag_query", ask, "sources"},
				{"rag_query_external", ask, "sources"},
			} {
				if call.arguments == nil {
					call.arguments = arguments{}
				}
				a := c.ask(t, call.tool, call.arguments)
				if a.IsError {
					t.Fatalf("%s: %s", call.tool, a.Text)
				}
				atMostTokens(t, call.tool, a.Structured, mostTokens)
				if results(t, a.Structured, call.list) < 5 || strings.Contains(a.Text, `�`) {
					t.Errorf("%s answers %s", call.tool, a.Text)
				}
			}
			f.fake.SetFaults(fakeollama.Faults{Paths: []string{"/api/chat"}, Status: 500, Message: strings.Repeat("fails ", 5000)})
			atMostTokens(t, "rag_query that quotes", c.ask(t, "rag_query", ask).Structured, mostTokens)
		})
	}
}

// An answer counts the results that do not fit. Texts are cut before results are left out.
func TestBounds_CountsWhatDoesNotFit(t *testing.T) {
	t.Parallel()
	c := connect(t, setup(t).server, protocolVersions()["stateless"])
	c.activate(t, newProject(t, `{"project_name": "long-texts"}`, longTexts(100)))
	var found struct {
		Results []struct {
			Title   string `json:"title"`
			Summary string `json:"summary"`
		} `json:"results"`
		TotalMatches int `json:"total_matches"`
		OmittedCount int `json:"omitted_count"`
	}
	search := arguments{"query": "connection pool", "min_relevance_score": 0, "limit": 5}
	c.get(t, "semantic_search", search, &found)
	for _, result := range found.Results {
		if utf8.RuneCountInString(result.Title) != 300 || !strings.HasSuffix(result.Title, "…") || utf8.RuneCountInString(result.Summary) > 300 {
			t.Errorf("title and summary have %d and %d characters, want 300 at most",
				utf8.RuneCountInString(result.Title), utf8.RuneCountInString(result.Summary))
		}
	}
	if diff := cmp.Diff([]int{5, 0}, []int{found.TotalMatches, found.OmittedCount}); diff != "" {
		t.Errorf("matches and omitted (-want +got):\n%s", diff)
	}
	search["limit"] = 100
	c.get(t, "semantic_search", search, &found)
	if found.TotalMatches != len(found.Results) || found.TotalMatches+found.OmittedCount != 100 || found.TotalMatches < 80 {
		t.Errorf("%d results, total_matches %d, %d omitted", len(found.Results), found.TotalMatches, found.OmittedCount)
	}
}

// longTexts are documents whose titles and summaries are longer than an answer
// shows of them.
func longTexts(number int) map[string]string {
	files := map[string]string{}
	for i := range number {
		files[fmt.Sprintf("csharp-compounding-docs/insights/doc-%d.md", i)] = fmt.Sprintf("---\ntitle: %s\ndate: 2026-01-02\n"+
			"summary: %s\nsignificance: correctness\ninsight_type: domain_knowledge\nimpact_area: everything\n---\n\nThe connection pool.\n\n# %d\n",
			strings.Repeat("ü", 1000), strings.Repeat("words ", 10_000), i)
	}
	return files
}
