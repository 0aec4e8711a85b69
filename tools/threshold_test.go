package tools_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/rag/markdown"
	"github.com/compound-docs/compound-docs/test/gitrepo"
	"github.com/compound-docs/compound-docs/tools"
)

// Where no document reaches the threshold, a search says so in words and in a field, and names those that may
// answer. The threshold is that of the parameter, or of the config where that overrides it. The
// language model is asked with them, and the answer says that it is not sure.
func TestMayAnswer(t *testing.T) {
	t.Parallel()
	const config = `{"project_name": "nothing", "external_docs": {"path": "./docs"}%s}`
	configured := fmt.Sprintf(config, `, "semantic_search": {"min_relevance_score": 0.9999}`)
	for name, tt := range map[string]struct {
		tool, config string
		minScore     float64
	}{
		"semantic_search":                    {"semantic_search", fmt.Sprintf(config, ""), .9999},
		"rag_query":                          {"rag_query", configured, .9999},
		"search_external_docs":               {"search_external_docs", fmt.Sprintf(config, ""), .9999},
		"rag_query_external":                 {"rag_query_external", fmt.Sprintf(config, ""), .9999},
		"search_external_docs by the config": {"search_external_docs", configured, 0},
		"rag_query_external by the config":   {"rag_query_external", configured, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := setup(t)
			c := connect(t, f.server, protocolVersions()["stateless"])
			files := longTexts(1)
			files["docs/guide.md"] = "# Guide to pools\n\nThe connection pool.\n"
			c.activate(t, newProject(t, tt.config, files))
			var out struct {
				Answer    string                 `json:"answer"`
				Message   string                 `json:"message"`
				Grade     rag.Grade              `json:"grade"`
				Sources   []externalResult       `json:"sources"`
				MayAnswer []tools.UnsureDocument `json:"may_answer"`
			}
			c.get(t, tt.tool, arguments{"query": "is there a connection pool?", "min_relevance_score": tt.minScore}, &out)
			if out.Grade != rag.MayAnswer || strings.Contains(out.Message+out.Answer, "min_relevance_score") {
				t.Errorf("grade %q, in words %q", out.Grade, out.Message+out.Answer)
			}
			if out.Answer != "" {
				if !strings.HasPrefix(out.Answer, "Not sure: no document reaches the minimum relevance of 0.9999.") || len(out.Sources) == 0 ||
					len(f.fake.Requests("/api/chat")) != 1 {
					t.Errorf("the answer from %v is %q", out.Sources, out.Answer)
				}
				return
			}
			if len(out.MayAnswer) == 0 || !strings.HasPrefix(out.Message, "No document reaches 0.9999. Best: ") {
				t.Fatalf("may answer: %+v, in words %q", out.MayAnswer, out.Message)
			}
			if d := out.MayAnswer[0]; d.Title == "" || d.RelevanceScore >= .9999 || d.StartLine == 0 || d.Snippet == "" {
				t.Errorf("the first that may answer is %+v", d)
			}
		})
	}
}

// Nothing costs at most 60 tokens and does not ask the model, even for critical documents, which are sources of any
// answer unless they are left out. If another collection has the answer, it says so.
func TestNothing(t *testing.T) {
	t.Parallel()
	f := setup(t)
	c := connect(t, f.server, protocolVersions()["stateless"])
	files := longTexts(3)
	files["csharp-compounding-docs/insights/rule.md"] = strings.Replace(files["csharp-compounding-docs/insights/doc-0.md"],
		"impact_area", "promotion_level: critical\nimpact_area", 1)
	files["docs/backup.md"] = "# Restore a backup\n\nTo restore a backup stop the server first.\n"
	c.activate(t, newProject(t, `{"project_name": "nothing", "external_docs": {"path": "./docs"}}`, files))
	for _, tool := range []string{"semantic_search", "rag_query", "search_external_docs", "rag_query_external"} {
		asked := arguments{"query": "zeppelins over lakes"}
		if tool == "rag_query" {
			if text := c.ask(t, tool, asked).Text; !strings.Contains(text, "rule.md") || !strings.Contains(text, "The sources are critical documents") {
				t.Errorf("%s: without an answer the critical documents are not named: %s", tool, text)
			}
			asked["include_critical"] = false
		}
		text := c.ask(t, tool, asked).Text
		if tokens := markdown.EstimateTokens(text); tokens > 60 || !strings.Contains(text, `"grade":"nothing"`) {
			t.Errorf("%s: nothing costs %d tokens: %s", tool, tokens, text)
		}
	}
	if chats := f.fake.Requests("/api/chat"); len(chats) > 0 {
		t.Errorf("the language model was asked: %s", chats[0].User)
	}
	for _, tool := range []string{"semantic_search", "rag_query"} {
		var out struct {
			Answer  string `json:"answer"`
			Message string `json:"message"`
		}
		c.get(t, tool, arguments{"query": "restore a backup"}, &out)
		if text := out.Message + out.Answer; !strings.Contains(text, "The external docs have it") || !strings.Contains(text, "call search_external_docs") {
			t.Errorf("%s does not say that the external docs have it: %q", tool, text)
		}
	}
}

// A search over no document says so.
func TestSearch_WithoutDocuments(t *testing.T) {
	t.Parallel()
	c := connect(t, setup(t).server, protocolVersions()["stateless"])
	c.activate(t, newProject(t, `{"project_name": "empty"}`, nil))
	var out struct {
		Answer  string `json:"answer"`
		Message string `json:"message"`
	}
	for _, tool := range []string{"semantic_search", "rag_query"} {
		c.get(t, tool, arguments{"query": "pool"}, &out)
	}
	const want = "There is no document to search in csharp-compounding-docs."
	if out.Answer != want || out.Message != want {
		t.Errorf("the search says %q and the answer %q, want %q", out.Message, out.Answer, want)
	}
}

// Nothing says that there is nothing while documents wait to be read.
func TestSearch_WhileGitWorks(t *testing.T) {
	t.Parallel()
	root := newProject(t, `{"project_name": "locked"}`, longTexts(3))
	repo := gitrepo.At(t, root)
	repo.Git("init", "--quiet", "--initial-branch=feature/new-feature")
	repo.Put(".git/index.lock", "")
	old := time.Now().Add(-2 * time.Minute)
	repo.Must(os.Chtimes(repo.Path(".git/index.lock"), old, old))
	c := connect(t, setup(t).server, protocolVersions()["stateless"])
	c.get(t, "activate_project", activation(root), &struct{}{})
	var out struct {
		Answer  string `json:"answer"`
		Message string `json:"message"`
	}
	for _, tool := range []string{"semantic_search", "rag_query"} {
		c.get(t, tool, arguments{"query": "pool"}, &out)
	}
	for _, said := range []string{out.Answer, out.Message} {
		if !strings.HasPrefix(said, "The documents are not read yet: git ") || strings.Contains(said, "Nothing") {
			t.Errorf("the answer is %q, want that the documents are not read yet because git works", said)
		}
	}
}
