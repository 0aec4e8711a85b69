package tools_test

import (
	"encoding/json"
	"slices"
	"testing"
)

// The question before an edit: which documents cite these files?
func TestSearch_OfDocumentsThatCiteFiles(t *testing.T) {
	t.Parallel()
	h := newHooks(t, `{"project_name": "p"}`)
	const rule = "./csharp-compounding-docs/insights/crane.md"
	tests := []struct {
		name string
		in   arguments
		want []string
	}{
		{"a file", arguments{"query": "lunch", "paths": []string{"src/crane.go"}}, []string{rule}},
		{"by words", arguments{"query": "lunch", "paths": []string{"./src/crane.go"}, "mode": "lexical"}, []string{rule}},
		{"lines", arguments{"query": "storms", "paths": []string{"src/crane.go:4-9"}}, []string{rule}},
		{"a folder", arguments{"query": "storms", "paths": []string{"none.go", "src/"}}, []string{rule}},
		{"another file", arguments{"query": "storms", "paths": []string{"src/other.go"}}, nil},
		{"relevance", arguments{"query": "lunch", "paths": []string{"src/"}, "min_relevance_score": 1}, nil},
		{"another level", arguments{"query": "storms", "paths": []string{"src/"}, "promotion_levels": []string{"standard"}}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var out struct {
				Results []struct {
					Path string `json:"path"`
				} `json:"results"`
			}
			got := h.ask(t, "semantic_search", tt.in)
			if err := json.Unmarshal(got.Structured, &out); err != nil || got.IsError {
				t.Fatalf("it answers %s, %v", got.Text, err)
			}
			var paths []string
			for _, result := range out.Results {
				paths = append(paths, result.Path)
			}
			if !slices.Equal(paths, tt.want) {
				t.Errorf("found %q, want %q", paths, tt.want)
			}
		})
	}
}
