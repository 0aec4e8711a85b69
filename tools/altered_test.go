package tools_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
)

// Who may write to a team's database may rewrite the text of a passage, but not so that it
// fits its key: no answer has it, each says so, and it is written again from the file.
func TestAnswers_LeaveOutAlteredPassages(t *testing.T) {
	t.Parallel()
	const problemFrontMatter = "---\ntitle: Vat\ndate: 2026-01-02\nsummary: A vat\nsignificance: correctness\n" +
		"problem_type: bug\nsymptoms: [it leaks]\nroot_cause: age\nsolution: mend it\n---\n\n"
	const document, query = "# Vat\n\nThe vat holds honest water, and a leaf.\n", "honest water in the vat"
	for _, tt := range []struct {
		tool, arguments string
	}{
		{"semantic_search", `"min_relevance_score": 0`},
		{"semantic_search", `"min_relevance_score": 0, "mode": "lexical"`},
		{"rag_query", `"min_relevance_score": 0`},
		{"search_external_docs", `"min_relevance_score": 0`},
		{"rag_query_external", `"min_relevance_score": 0`},
		{"search_handbook", `"n_results": 3`},
	} {
		t.Run(tt.tool, func(t *testing.T) {
			t.Parallel()
			f := setup(t)
			c := connect(t, f.server, protocolVersions()["handshake"])
			c.activate(t, newProject(t, withExternalDocs(""), map[string]string{
				"docs/vat.md": document,
				"csharp-compounding-docs/problems/vat.md": problemFrontMatter + document,
			}))
			handbook := map[string]string{"vat.md": document}
			f.ingest(t, handbook)
			ask := func(query string) string {
				return c.ask(t, tt.tool, json.RawMessage(`{"query": "`+query+`", `+tt.arguments+`}`)).Text
			}
			found := func(text string) bool { return strings.Contains(text, "vat.md") }
			if text := ask(query + "?"); !found(text) {
				t.Fatalf("before: %s", text)
			}
			f.execute(t, `UPDATE passages SET content = replace(content, 'honest', 'poisoned')`)
			f.fake.Forget()
			text := ask(query)
			if strings.Contains(text, "poisoned") || !strings.Contains(text, "somebody has altered the text in the database") {
				t.Errorf("it answers %s", text)
			}
			for _, request := range f.fake.Requests("/api/chat") {
				if strings.Contains(request.User, "poisoned") {
					t.Errorf("the model is given %s", request.User)
				}
			}
			for begun := time.Now(); !found(text) || strings.Contains(text, "altered"); time.Sleep(20 * time.Millisecond) {
				if time.Since(begun) > 30*time.Second {
					t.Fatalf("it is not written again: %s", text)
				}
				if tt.tool == "search_handbook" {
					f.ingest(t, handbook)
				}
				text = ask(query)
			}
		})
	}
}
