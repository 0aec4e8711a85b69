package tools_test

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
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
		{"an absolute path with lines", arguments{"query": "lunch", "paths": []string{filepath.Join(h.root, "src", "crane.go") + ":4-9"}}, []string{rule}},
		{"a folder without a slash", arguments{"query": "storms", "paths": []string{"src"}}, []string{rule}},
		{"a pattern", arguments{"query": "storms", "paths": []string{"src/**/*.go"}}, []string{rule}},
		{"a pattern of others", arguments{"query": "storms", "paths": []string{"src/*.ts"}}, nil},
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

// A path that is none in the repository is refused, with examples of what is meant.
func TestSearch_RefusesPathsOutsideTheRepository(t *testing.T) {
	t.Parallel()
	h := newHooks(t, `{"project_name": "p"}`)
	for _, path := range []string{"../other/x.go", "/etc/passwd", "https://example.org/a.go", "src/\ncrane.go", "."} {
		got := h.ask(t, "semantic_search", arguments{"query": "lunch", "paths": []string{path}})
		if !got.IsError || !strings.Contains(got.Text, "give one such as src/pool.go") {
			t.Errorf("%q: it answers %s", path, got.Text)
		}
	}
}
