package markdown_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/compound-docs/compound-docs/rag/markdown"
	"github.com/compound-docs/compound-docs/test/golden"
)

func TestGolden(t *testing.T) {
	t.Parallel()
	tests := []struct {
		file  string
		limit markdown.Limit
	}{
		{"problem.md", markdown.DefaultLimit()},
		{"sections.md", markdown.Limit{MaxTokens: 480, SplitLines: 20}},
		{"window.md", markdown.Limit{MaxTokens: 192, SplitLines: 500}},
		{"wikilinks.md", markdown.DefaultLimit()},
	}
	for _, test := range tests {
		t.Run(test.file, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join("testdata", test.file)
			src, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			doc, err := markdown.Parse(src)
			if err != nil {
				t.Fatal(err)
			}
			golden.Compare(t, strings.TrimSuffix(path, ".md")+".golden", render(t, doc, test.limit))
		})
	}
}

func render(t *testing.T, doc *markdown.Document, limit markdown.Limit) string {
	t.Helper()
	var b strings.Builder
	fmt.Fprintf(&b, "title    %s\nsummary  %s\nsize     %d characters, %d lines\n",
		doc.Title, doc.Summary, doc.CharCount, doc.LineCount)
	for _, link := range doc.Links {
		fmt.Fprintf(&b, "link     %s\n", link)
	}
	if doc.FrontMatter != nil {
		encoded, err := json.MarshalIndent(doc.FrontMatter, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "%s\n", encoded)
	}
	for _, p := range doc.Passages(doc.Title, limit) {
		fmt.Fprintf(&b, "\n=== %d-%d %s\n%s\n", p.StartLine, p.EndLine, p.HeaderPath, p.Text)
	}
	return b.String()
}
