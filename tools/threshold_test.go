package tools_test

import (
	"fmt"
	"strings"
	"testing"
)

// Where nothing reaches the threshold the answer says so in words and in a field, names
// what came closest, gives no advice, and the language model is not asked. The threshold
// is that of the parameter, or of the config where that overrides it.
func TestNothingRelevant(t *testing.T) {
	t.Parallel()
	const config = `{"project_name": "nothing", "external_docs": {"path": "./docs"}%s}`
	configured := fmt.Sprintf(config, `, "semantic_search": {"min_relevance_score": 0.999}`)
	for name, tt := range map[string]struct {
		tool, config string
		minScore     float64
	}{
		"semantic_search":                    {"semantic_search", fmt.Sprintf(config, ""), .999},
		"rag_query":                          {"rag_query", configured, .999},
		"search_external_docs":               {"search_external_docs", fmt.Sprintf(config, ""), .999},
		"rag_query_external":                 {"rag_query_external", fmt.Sprintf(config, ""), .999},
		"search_external_docs by the config": {"search_external_docs", configured, 0},
		"rag_query_external by the config":   {"rag_query_external", configured, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := setup(t)
			c := connect(t, f.server, protocolVersions()["stateless"])
			files := longTexts(1)
			files["docs/guide.md"] = "# Guide\n\nThe connection pool.\n"
			c.activate(t, newProject(t, tt.config, files))
			var out struct {
				Answer          string `json:"answer"`
				Message         string `json:"message"`
				NothingRelevant bool   `json:"nothing_relevant"`
				Closest         []struct {
					Path           string  `json:"path"`
					Title          string  `json:"title"`
					RelevanceScore float64 `json:"relevance_score"`
					StartLine      int     `json:"start_line"`
					Snippet        string  `json:"snippet"`
				} `json:"closest"`
			}
			c.get(t, tt.tool, arguments{
				"query": "a connection pool of a hundred connections and why it is that small", "min_relevance_score": tt.minScore,
			}, &out)
			text := out.Message + out.Answer
			if !out.NothingRelevant || !strings.Contains(text, "hold nothing on this") || strings.Contains(text, "min_relevance_score") {
				t.Errorf("nothing relevant: %v, in words %q", out.NothingRelevant, text)
			}
			if len(out.Closest) == 0 || !strings.Contains(text, out.Closest[0].Path) {
				t.Fatalf("closest %+v, in words %q", out.Closest, text)
			}
			if c := out.Closest[0]; c.Title == "" || c.RelevanceScore >= .999 || c.StartLine == 0 || c.Snippet == "" {
				t.Errorf("closest is %+v", c)
			}
			if chats := f.fake.Requests("/api/chat"); len(chats) > 0 {
				t.Errorf("the language model was asked: %s", chats[0].User)
			}
		})
	}
}

// If no document passes the filters, the answer says so.
func TestNothingRelevant_OfTheFilters(t *testing.T) {
	t.Parallel()
	c := connect(t, setup(t).server, protocolVersions()["stateless"])
	c.activate(t, newProject(t, `{"project_name": "advice"}`, longTexts(1)))
	for _, query := range []arguments{
		{"query": "pool", "doc_types": []string{"style"}}, {"query": "pool", "min_promotion_level": "critical"},
	} {
		var out struct {
			Answer          string `json:"answer"`
			NothingRelevant bool   `json:"nothing_relevant"`
		}
		if c.get(t, "rag_query", query, &out); !out.NothingRelevant || out.Answer != "The documents asked for hold nothing on this." {
			t.Errorf("%v: nothing relevant: %v, and the answer is %q", query, out.NothingRelevant, out.Answer)
		}
	}
}
