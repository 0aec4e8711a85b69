package tools_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/test/await"
	"github.com/compound-docs/compound-docs/test/fakeollama"
	"github.com/compound-docs/compound-docs/test/gitrepo"
)

// The reasons why a draft is not valid are most of an answer, so they are told once.
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
		{"semantic_search", arguments{"query": "connection pool"}, 0},
		{"rag_query", arguments{"query": "connection pool"}, 0},
		{"list_doc_types", arguments{}, 0},
		{"activate_project", activation(root), 1},
		{"semantic_search", arguments{"query": "connection pool"}, 0},
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
		if most := 300; call.named == 0 && len(answer.Index) > most {
			t.Errorf("%s: the index has %d characters, want %d at most: %s", call.tool, len(answer.Index), most, answer.Index)
		}
	}
}

// The model writes for as long as the index takes to catch up. The answer does not know the new
// document all the same.
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
	f.fake.SetFaults(fakeollama.Faults{Paths: []string{"/api/chat"}, Delay: 2 * time.Second})
	gitrepo.At(t, root).Put("csharp-compounding-docs/insights/new.md", insight("New", "standard", "The connection pool leaks."))
	await.Until(t, "the server has noticed", behind)
	var answered answer
	c.get(t, "rag_query", arguments{"query": "connection pool exhausted", "min_relevance_score": 0}, &answered)
	if behind() {
		t.Fatal("the index has not caught up: it shows nothing")
	}
	if answered.Index == nil || answered.Index.Pending == 0 {
		t.Error("the answer does not say that a document was pending when it was searched for")
	}
}
