package tools_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/test/fakeollama"
)

// The specification of search_external_docs lists these tests under these names: seven
// unit tests, the integration test and the manual verification. They use no mocks: each
// runs against a real PostgreSQL, in both versions of the protocol.

type externalResult struct {
	Path           string  `json:"path"`
	Title          string  `json:"title"`
	Summary        string  `json:"summary"`
	CharCount      int     `json:"char_count"`
	RelevanceScore float64 `json:"relevance_score"`
}

type externalAnswer struct {
	Results          []externalResult `json:"results"`
	TotalMatches     int              `json:"total_matches"`
	ExternalDocsPath string           `json:"external_docs_path"`
	Grade            string           `json:"grade"`
}

func (a externalAnswer) paths() []string {
	paths := []string{}
	for _, r := range a.Results {
		paths = append(paths, r.Path)
	}
	return paths
}

// inBothVersions runs a test in each version of the protocol, each on a new server.
func inBothVersions(t *testing.T, test func(t *testing.T, f *fixture, c client)) {
	t.Helper()
	for name, version := range protocolVersions() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := setup(t)
			test(t, f, connect(t, f.server, version))
		})
	}
}

// withExternalDocs returns a config. It sets semantic_search.min_relevance_score unless
// minScore is "".
func withExternalDocs(minScore string) string {
	if minScore != "" {
		minScore = `, "semantic_search": {"min_relevance_score": ` + minScore + `}`
	}
	return `{"project_name": "test-project", "external_docs": {"path": "./docs"}` + minScore + `}`
}

// guides returns documents about REST, from the most to the least relevant.
func guides() map[string]string {
	files := map[string]string{}
	for i := range 7 {
		files[fmt.Sprintf("docs/guide-%d.md", i)] = "# REST API\n\nREST API." + strings.Repeat(" Pagination of long lists.", i) + "\n"
	}
	return files
}

func TestSearchExternalDocs_ReturnsError_WhenProjectNotActivated(t *testing.T) {
	t.Parallel()
	inBothVersions(t, func(t *testing.T, _ *fixture, c client) {
		t.Helper()
		e := c.fail(t, "search_external_docs", arguments{"query": "test query"})
		if e.Code != "PROJECT_NOT_ACTIVATED" || !strings.Contains(e.Message, "call activate_project") {
			t.Errorf("error %+v", e)
		}
	})
}

func TestSearchExternalDocs_ReturnsError_WhenExternalDocsNotConfigured(t *testing.T) {
	t.Parallel()
	inBothVersions(t, func(t *testing.T, _ *fixture, c client) {
		t.Helper()
		c.activate(t, newProject(t, `{"project_name": "test-project"}`, nil))
		want := toolError{
			Error: true, Code: "EXTERNAL_DOCS_NOT_CONFIGURED",
			Message: "external_docs is not configured in project config. " +
				"Add 'external_docs.path' to your .csharp-compounding-docs/config.json file.",
			Details: map[string]any{
				"configFile": ".csharp-compounding-docs/config.json",
				"exampleConfig": map[string]any{"external_docs": map[string]any{
					"path": "./docs", "include_patterns": []any{"**/*.md"}, "exclude_patterns": []any{"**/node_modules/**"},
				}},
			},
		}
		if diff := cmp.Diff(want, c.fail(t, "search_external_docs", arguments{"query": "test query"})); diff != "" {
			t.Errorf("error (-want +got):\n%s", diff)
		}
	})
}

func TestSearchExternalDocs_ReturnsResults_WhenSearchSucceeds(t *testing.T) {
	t.Parallel()
	inBothVersions(t, func(t *testing.T, _ *fixture, c client) {
		t.Helper()
		c.activate(t, newProject(t, withExternalDocs(""), map[string]string{"docs/test.md": "# Test Doc\n\nA test query finds it.\n"}))
		var got externalAnswer
		c.get(t, "search_external_docs", arguments{"query": "a doc that a test query finds"}, &got)
		if len(got.Results) != 1 {
			t.Fatalf("%d results, want 1", len(got.Results))
		}
		if r := got.Results[0]; r.Path != "./docs/test.md" || r.Title != "Test Doc" || r.RelevanceScore < 0.7 || r.RelevanceScore >= 1 {
			t.Errorf("result %+v", r)
		}
		if got.TotalMatches != 1 || got.ExternalDocsPath != "./docs" {
			t.Errorf("answer %+v", got)
		}
	})
}

func TestSearchExternalDocs_AppliesLimitParameter(t *testing.T) {
	t.Parallel()
	inBothVersions(t, func(t *testing.T, _ *fixture, c client) {
		t.Helper()
		c.activate(t, newProject(t, withExternalDocs(""), guides()))
		var got externalAnswer
		c.get(t, "search_external_docs", arguments{"query": "REST API", "limit": 5, "min_relevance_score": 0}, &got)
		want := []string{"./docs/guide-0.md", "./docs/guide-1.md", "./docs/guide-2.md", "./docs/guide-3.md", "./docs/guide-4.md"}
		if diff := cmp.Diff(want, got.paths()); diff != "" {
			t.Errorf("results (-want +got):\n%s", diff)
		}
		if got.TotalMatches != 5 {
			t.Errorf("total_matches is %d, want 5", got.TotalMatches)
		}
	})
}

func TestSearchExternalDocs_AppliesMinRelevanceScore(t *testing.T) {
	t.Parallel()
	inBothVersions(t, func(t *testing.T, _ *fixture, c client) {
		t.Helper()
		c.activate(t, newProject(t, withExternalDocs(""), guides()))
		var all, some, none externalAnswer
		c.get(t, "search_external_docs", arguments{"query": "REST API", "min_relevance_score": 0}, &all)
		if len(all.Results) != 7 {
			t.Fatalf("%d results from a score of 0 on, want 7", len(all.Results))
		}
		between := (all.Results[2].RelevanceScore + all.Results[3].RelevanceScore) / 2
		c.get(t, "search_external_docs", arguments{"query": "REST API", "min_relevance_score": between}, &some)
		if diff := cmp.Diff(all.paths()[:3], some.paths()); diff != "" {
			t.Errorf("results from %v on (-want +got):\n%s", between, diff)
		}
		c.get(t, "search_external_docs", arguments{"query": "stock of umbrellas", "min_relevance_score": 0.9}, &none)
		if len(none.Results) != 0 || none.Grade != "nothing" {
			t.Errorf("results from 0.9 on: %+v, want none", none)
		}
	})
}

func TestSearchExternalDocs_UsesConfigOverrideForMinRelevanceScore(t *testing.T) {
	t.Parallel()
	inBothVersions(t, func(t *testing.T, _ *fixture, c client) {
		t.Helper()
		for _, test := range []struct {
			config    string
			parameter float64
			want      bool
		}{{"0.95", 0, false}, {"0.1", 0.95, true}} {
			c.activate(t, newProject(t, withExternalDocs(test.config), guides()))
			for _, tool := range []string{"search_external_docs", "rag_query_external"} {
				query := arguments{"query": "how to use REST", "min_relevance_score": test.parameter}
				var got externalAnswer
				if c.get(t, tool, query, &got); (got.Grade == "answers") != test.want || !test.want && len(got.Results) > 0 {
					t.Errorf("%s with %s in the config and %v as parameter: grade %s, %d results",
						tool, test.config, test.parameter, got.Grade, len(got.Results))
				}
			}
		}
	})
}

func TestSearchExternalDocs_ReturnsError_WhenEmbeddingServiceFails(t *testing.T) {
	t.Parallel()
	inBothVersions(t, func(t *testing.T, f *fixture, c client) {
		t.Helper()
		c.activate(t, newProject(t, withExternalDocs(""), guides()))
		f.fake.SetFaults(fakeollama.Faults{Paths: []string{"/api/embed"}, Status: 503, Message: "Ollama unavailable"})
		e := c.fail(t, "search_external_docs", arguments{"query": "test query", "mode": "vector"})
		if e.Code != "EMBEDDING_SERVICE_ERROR" || !strings.Contains(e.Message, "Ollama unavailable") || e.Details["circuit_state"] == nil {
			t.Errorf("error %+v", e)
		}
	})
}

func TestSearchExternalDocs_WithRealDatabase_ReturnsResults(t *testing.T) {
	t.Parallel()
	inBothVersions(t, func(t *testing.T, _ *fixture, c client) {
		t.Helper()
		c.activate(t, copyProject(t, "testdata/project"))
		var got externalAnswer
		c.get(t, "search_external_docs", arguments{"query": "database design", "min_relevance_score": 0.5}, &got)
		if len(got.Results) == 0 || got.Results[0].Path != "./docs/architecture/database-design.md" || got.ExternalDocsPath != "./docs" {
			t.Errorf("answer %+v", got)
		}
	})
}

func TestSearchExternalDocs_ManualVerification(t *testing.T) {
	t.Parallel()
	inBothVersions(t, func(t *testing.T, _ *fixture, c client) {
		t.Helper()
		const guide = "# API Guide\n\nHow to use our REST API.\n"
		c.activate(t, newProject(t, `{
			"project_name": "test-project",
			"external_docs": {"path": "./docs", "include_patterns": ["**/*.md"], "exclude_patterns": ["**/node_modules/**"]}
		}`, map[string]string{
			"docs/api-guide.md":               guide,
			"docs/setup.md":                   "# Setup Guide\n\nHow to set up the project.\n",
			"docs/node_modules/x/rest-api.md": guide,
		}))
		var got externalAnswer
		c.get(t, "search_external_docs", arguments{"query": "REST API", "limit": 5}, &got)
		if len(got.Results) != 1 {
			t.Fatalf("answer %+v, want one result", got)
		}
		score := got.Results[0].RelevanceScore
		got.Results[0].RelevanceScore = 0
		want := externalAnswer{
			Results: []externalResult{{
				Path: "./docs/api-guide.md", Title: "API Guide", Summary: "How to use our REST API.",
				CharCount: utf8.RuneCountInString(guide),
			}},
			TotalMatches: 1, ExternalDocsPath: "./docs", Grade: "answers",
		}
		if diff := cmp.Diff(want, got); diff != "" || score < 0.7 || score > 1 {
			t.Errorf("score %v, answer (-want +got):\n%s", score, diff)
		}
	})
}
