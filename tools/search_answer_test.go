package tools_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/tools"
)

// An evaluation measures the answer that semantic_search would give, with its bounds.
func TestSearchAnswer_IsBoundedAsAnswersAre(t *testing.T) {
	t.Parallel()
	for _, found := range []int{0, 2, 100} {
		t.Run(fmt.Sprint(found, " documents"), func(t *testing.T) {
			t.Parallel()
			hits := rag.Hits{}
			for i := range found {
				hits.Documents = append(hits.Documents, rag.Hit{
					Path: fmt.Sprintf("csharp-compounding-docs/problems/%d.md", i), Score: 0.75,
					Title: strings.Repeat("title ", 1000), Summary: strings.Repeat("summary ", 1000),
				})
			}
			encoded, err := tools.SearchAnswer(hits)
			if err != nil {
				t.Fatal(err)
			}
			var answer struct {
				Results []struct {
					Path  string `json:"path"`
					Title string `json:"title"`
				} `json:"results"`
				Total   int `json:"total_matches"`
				Omitted int `json:"omitted_count"`
			}
			if err := json.Unmarshal(encoded, &answer); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]int{found, found}, []int{answer.Total + answer.Omitted, len(answer.Results) + answer.Omitted}); diff != "" {
				t.Errorf("documents in total and in the list (-want +got):\n%s", diff)
			}
			if len(encoded) > 4*mostTokens {
				t.Errorf("the answer has %d bytes", len(encoded))
			}
			if found > 0 && (answer.Results[0].Path != "./csharp-compounding-docs/problems/0.md" || len(answer.Results[0].Title) > 310) {
				t.Errorf("the first result is %.400v", answer.Results[0])
			}
		})
	}
}
