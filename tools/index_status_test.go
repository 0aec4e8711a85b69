package tools_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
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
