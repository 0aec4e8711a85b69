package tools_test

import (
	"encoding/json"
	"errors"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/compound-docs/compound-docs/test/await"
	"github.com/compound-docs/compound-docs/test/gitrepo"
)

// All reasons why a draft is not valid are most of an answer, so they are told once, and the first one briefly.
func TestIndexStatus_TellsReasonsOnce(t *testing.T) {
	t.Parallel()
	c := connect(t, setup(t).server, protocolVersions()["stateless"])
	root := newProject(t, `{"project_name": "with-a-draft"}`, map[string]string{
		"csharp-compounding-docs/problems/draft.md": "---\ntitle: Draft\n---\n\nThe connection pool.\n",
	})
	calls := []struct {
		tool      string
		arguments arguments
		named     int
	}{
		{"activate_project", activation(root), 1},
		{"semantic_search", arguments{"query": "connection pool"}, 1},
		{"rag_query", arguments{"query": "connection pool"}, 1},
		{"list_doc_types", arguments{}, 1},
		{"activate_project", activation(root), 1},
		{"semantic_search", arguments{"query": "connection pool"}, 1},
	}
	for _, call := range calls {
		var answer struct {
			Index json.RawMessage `json:"index"`
		}
		c.get(t, call.tool, call.arguments, &answer)
		var index struct {
			FailedCount int              `json:"failed_count"`
			Failed      []map[string]any `json:"failed"`
		}
		if err := json.Unmarshal(answer.Index, &index); err != nil {
			t.Fatalf("%s: %v in %s", call.tool, err, answer.Index)
		}
		if diff := cmp.Diff([]int{1, call.named}, []int{index.FailedCount, len(index.Failed)}); diff != "" {
			t.Errorf("%s: failed files, and those that are named (-want +got):\n%s", call.tool, diff)
		}
		if most := 420; call.tool != "activate_project" && len(answer.Index) > most {
			t.Errorf("%s: the index has %d characters, want %d at most: %s", call.tool, len(answer.Index), most, answer.Index)
		}
	}
}

// The index catches up while the model writes. The answer does not know the new document all the same.
func TestIndexStatus_IsThatFromBeforeTheSearchToo(t *testing.T) {
	t.Parallel()
	f := setup(t)
	c := connect(t, f.server, protocolVersions()["stateless"])
	root := newProject(t, `{"project_name": "behind"}`, map[string]string{
		"csharp-compounding-docs/insights/pool.md": insight("Pool", "standard", "The connection pool is exhausted."),
	})
	c.get(t, "activate_project", activation(root), &struct{}{})
	type answer struct {
		Index *struct {
			Pending int `json:"pending"`
		} `json:"index"`
	}
	behind := func() bool {
		var types answer
		c.get(t, "list_doc_types", arguments{}, &types)
		return types.Index != nil && types.Index.Pending > 0
	}
	letWrite := lockTable(t, f.databaseURL, "documents", "SHARE") // for writes
	caughtUp := make(chan struct{})
	letAnswer := sync.OnceFunc(func() { close(caughtUp) })
	defer letAnswer()
	f.fake.SetAnswer(func(string, string) []string {
		<-caughtUp
		return []string{"The pool is too small [1]."}
	})
	gitrepo.At(t, root).Put("csharp-compounding-docs/insights/new.md", insight("New", "standard", "The connection pool leaks."))
	await.Until(t, "the server has noticed", behind)
	answers := make(chan answer, 1)
	go func() {
		var answered answer
		result, err := c.CallTool(t.Context(), &mcp.CallToolParams{
			Name: "rag_query", Arguments: arguments{"query": "connection pool exhausted", "min_relevance_score": 0},
		})
		var encoded []byte
		if err == nil {
			encoded, err = json.Marshal(result.StructuredContent)
		}
		if err := errors.Join(err, json.Unmarshal(encoded, &answered)); err != nil {
			t.Error(err)
		}
		answers <- answered
	}()
	await.Until(t, "the model is asked", func() bool { return len(f.fake.Requests("/api/chat")) > 0 })
	letWrite()
	await.Until(t, "the index has caught up", func() bool { return !behind() })
	letAnswer()
	if answered := <-answers; answered.Index == nil || answered.Index.Pending == 0 {
		t.Error("the answer does not say that a document was pending when it was searched for")
	}
}
