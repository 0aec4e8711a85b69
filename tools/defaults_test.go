package tools_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// insight returns a document of the doc-type insight.
func insight(title, level, text string) string {
	return fmt.Sprintf("---\ntitle: %s\ndate: 2025-01-15\nsummary: %s\nsignificance: behavioral\ninsight_type: domain_knowledge\n"+
		"impact_area: everywhere\npromotion_level: %s\n---\n\n%s\n", title, title, level, text)
}

// many returns more documents about one subject than any default limit, in both
// collections, and a critical document about another subject.
func many() map[string]string {
	files := map[string]string{}
	const docs = "csharp-compounding-docs/insights/"
	for i := range 12 {
		files[fmt.Sprintf("%snear-%02d.md", docs, i)] = insight("Harbour crane schedule", "standard", fmt.Sprint("Harbour crane schedule. ", i))
		files[fmt.Sprintf("docs/near-%02d.md", i)] = fmt.Sprintf("# Harbour crane schedule\n\nHarbour crane schedule. %d\n", i)
	}
	files[docs+"critical.md"] = insight("Passwords", "critical", "Never print a password.")
	return files
}

func count(t *testing.T, c client, tool, list string, arguments arguments) int {
	t.Helper()
	a := c.ask(t, tool, arguments)
	if a.IsError {
		t.Fatalf("%s: %s", tool, a.Text)
	}
	return results(t, a.Structured, list)
}

// A parameter overrides the config, and the config overrides the defaults of the
// specification.
func TestDefaults_Limits(t *testing.T) {
	t.Parallel()
	const external = `, "external_docs": {"path": "./docs"}`
	type found map[string]int
	for name, test := range map[string]struct {
		config    string
		arguments arguments
		want      found
	}{
		"built in": {
			`{"project_name": "p"` + external + `}`, nil,
			found{"semantic_search": 10, "rag_query": 3, "search_external_docs": 10, "rag_query_external": 3},
		},
		"config": {
			`{"project_name": "p", "semantic_search": {"default_limit": 4}, "retrieval": {"max_results": 2}` + external + `}`, nil,
			found{"semantic_search": 4, "rag_query": 2, "search_external_docs": 4, "rag_query_external": 2},
		},
		"parameter": {
			`{"project_name": "p", "semantic_search": {"default_limit": 4}, "retrieval": {"max_results": 2}` + external + `}`,
			arguments{"limit": 6, "max_sources": 5},
			found{"semantic_search": 6, "rag_query": 5, "search_external_docs": 6, "rag_query_external": 5},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := connect(t, setup(t).server, protocolVersions()["handshake"])
			c.activate(t, newProject(t, test.config, many()))
			got := found{}
			for tool, parameter := range map[string]string{
				"semantic_search": "limit", "search_external_docs": "limit",
				"rag_query": "max_sources", "rag_query_external": "max_sources",
			} {
				list := "results"
				given := arguments{"query": "harbour crane schedule"}
				if parameter == "max_sources" {
					list = "sources"
				} else {
					given["min_relevance_score"] = 0 // so many alike are not sure
				}
				if tool == "rag_query" {
					given["include_critical"] = false
				}
				if value, ok := test.arguments[parameter]; ok {
					given[parameter] = value
				}
				got[tool] = count(t, c, tool, list, given)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("documents (-want +got):\n%s", diff)
			}
		})
	}
}

// thresholds returns documents whose relevance to "harbour crane schedule" is around 0.6
// and around 0.2, in both collections.
func thresholds() map[string]string {
	middle, low := "Harbour. Lorry. Harbour. Train.", "Lorry. Train. Gauge. Bridge. Canal. Sluice. Tide."
	return map[string]string{
		"csharp-compounding-docs/insights/middle.md": insight("Anchor", "standard", middle),
		"csharp-compounding-docs/insights/low.md":    insight("Lorry", "standard", low),
		"docs/middle.md": "# Anchor\n\n" + middle + "\n",
		"docs/low.md":    "# Lorry\n\n" + low + "\n",
	}
}

func TestDefaults_Scores(t *testing.T) {
	t.Parallel()
	c := connect(t, setup(t).server, protocolVersions()["handshake"])
	c.activate(t, newProject(t, `{"project_name": "p", "external_docs": {"path": "./docs"}}`, thresholds()))
	query := arguments{"query": "harbour crane schedule", "min_relevance_score": 0}
	for _, tool := range []string{"semantic_search", "search_external_docs"} {
		var got externalAnswer
		c.get(t, tool, query, &got)
		if len(got.Results) != 2 || got.Results[0].RelevanceScore < 0.5 || got.Results[0].RelevanceScore >= 0.7 ||
			got.Results[1].RelevanceScore >= 0.5 {
			t.Fatalf("%s: the scores %+v do not suit this test", tool, got.Results)
		}
	}
	delete(query, "min_relevance_score")
	got := map[string]int{}
	for tool, list := range map[string]string{
		"semantic_search": "results", "search_external_docs": "results", "rag_query": "sources", "rag_query_external": "sources",
	} {
		got[tool] = count(t, c, tool, list, query)
	}
	want := map[string]int{"semantic_search": 1, "search_external_docs": 0, "rag_query": 1, "rag_query_external": 2} // sources that may answer
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("documents at the thresholds 0.5, 0.7, 0.7 and 0.7 (-want +got):\n%s", diff)
	}
}
