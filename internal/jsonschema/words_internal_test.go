package jsonschema

import "testing"

func TestNearest(t *testing.T) {
	t.Parallel()
	known := []string{"query", "doc_types", "limit", "min_relevance_score", "max"}
	tests := []struct{ word, want string }{
		{"limit", "limit"},
		{"limti", "limit"},
		{"Limit", "limit"},
		{"docTypes", "doc_types"},
		{"doc-type", "doc_types"},
		{"min_relevence_scroe", "min_relevance_score"},
		{"mx", ""},
		{"maxx", "max"},
		{"project", ""},
		{"", ""},
		{"___", ""},
	}
	for _, tt := range tests {
		if got := nearest(tt.word, known); got != tt.want {
			t.Errorf("nearest(%q) = %q, want %q", tt.word, got, tt.want)
		}
	}
}
