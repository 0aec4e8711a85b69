package tools_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"strings"
	"testing"
)

// Following the remedy of `closest` finds the document: it names the parameter, or the
// config if that overrides the parameter.
func TestClosest_AdviceHelps(t *testing.T) {
	t.Parallel()
	const config = `{"project_name": "advice", "external_docs": {"path": "./docs"}%s}`
	configured := func(score string) string {
		return fmt.Sprintf(config, `, "semantic_search": {"min_relevance_score": `+score+`}`)
	}
	for name, tt := range map[string]struct {
		tool, config string
		// wins is the name that the remedy must contain.
		wins string
	}{
		"semantic_search":                    {"semantic_search", configured("0.99"), "min_relevance_score"},
		"rag_query":                          {"rag_query", configured("0.99"), "min_relevance_score"},
		"search_external_docs":               {"search_external_docs", fmt.Sprintf(config, ""), "min_relevance_score"},
		"rag_query_external":                 {"rag_query_external", fmt.Sprintf(config, ""), "min_relevance_score"},
		"search_external_docs by the config": {"search_external_docs", configured("0.99"), "semantic_search.min_relevance_score in .csharp-compounding-docs/config.json"},
		"rag_query_external by the config":   {"rag_query_external", configured("0.99"), "semantic_search.min_relevance_score in .csharp-compounding-docs/config.json"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := connect(t, setup(t).server, protocolVersions()["stateless"])
			files := longTexts(1)
			files["docs/guide.md"] = "# Guide\n\nThe connection pool.\n"
			root := newProject(t, tt.config, files)
			c.activate(t, root)
			call := func(more arguments) (remedy, answer string) {
				var out struct {
					Answer  string `json:"answer"`
					Closest *struct {
						RelevanceScore float64 `json:"relevance_score"`
						Remedy         string  `json:"remedy"`
					} `json:"closest"`
				}
				query := arguments{"query": "a connection pool of a hundred connections and why it is that small"}
				maps.Copy(query, more)
				c.get(t, tt.tool, query, &out)
				if out.Closest == nil {
					return "", out.Answer
				}
				return out.Closest.Remedy, out.Answer
			}
			remedy, answer := call(arguments{"min_relevance_score": 0.99})
			if !strings.Contains(remedy, tt.wins) || strings.HasPrefix(tt.tool, "rag") && !strings.Contains(answer, remedy) {
				t.Fatalf("the advice is %q, and the answer %q; want both to name %s", remedy, answer, tt.wins)
			}
			score := regexp.MustCompile(`0\.\d\d`).FindString(remedy)
			lower := arguments{}
			if strings.Contains(tt.wins, "config.json") {
				if ignored, _ := call(arguments{"min_relevance_score": 0}); ignored == "" {
					t.Error("the parameter helps although the config overrides it")
				}
				write(t, root, ".csharp-compounding-docs/config.json", configured(score))
				c.activate(t, root)
			} else {
				lower["min_relevance_score"] = json.Number(score)
			}
			if again, _ := call(lower); again != "" {
				t.Errorf("after %q the advice is %q", remedy, again)
			}
		})
	}
}

// If no document passes the filters, the answer names the filters to leave out.
func TestClosest_NothingToAnswerFrom(t *testing.T) {
	t.Parallel()
	c := connect(t, setup(t).server, protocolVersions()["stateless"])
	c.activate(t, newProject(t, `{"project_name": "advice"}`, longTexts(1)))
	for want, query := range map[string]arguments{
		"leave out doc_types or min_promotion_level": {"query": "pool", "doc_types": []string{"style"}},
		"or min_promotion_level":                     {"query": "pool", "min_promotion_level": "critical"},
	} {
		var out struct {
			Answer string `json:"answer"`
		}
		if c.get(t, "rag_query", query, &out); !strings.Contains(out.Answer, want) {
			t.Errorf("%v: the answer is %q, want %q in it", query, out.Answer, want)
		}
	}
}
