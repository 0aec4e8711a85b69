package index

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/internal/document"
	"github.com/compound-docs/compound-docs/internal/project"
	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/rag/markdown"
)

// anything is a schema of one doc-type for every file.
type anything struct{}

func (anything) Rules(string) (project.Rules, bool) {
	return project.Rules{Name: "problem", Docs: "docs", Validate: func(map[string]any) []project.Violation { return nil }}, true
}

func dissectText(t *testing.T, collection catalog.Collection, content string) Dissection {
	t.Helper()
	doc, err := Dissect(document.File{Path: "docs/problems/a.md", Content: []byte(content)}, collection, anything{})
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

func TestFrontMatterPassages(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, content string
		collection    catalog.Collection
		want          []string // passages, each with its lines
	}{
		{
			name: "fields in words", collection: catalog.Compounding,
			content: "---\ndoc_type: problem\ntitle: Pool\ndate: 2026-01-02\nsummary: It ran dry.\ntags: [db, pool]\n" +
				"root_cause: >\n  a leak\n  in tests\nsymptoms: [slow, \"dead \"]\ncustom-field: {a: [b], c: d}\ncount: 3\nempty: \"\"\nlayout: manual\n" +
				"promotion_level: critical\nrelated_docs: [x.md]\nsupersedes: y.md\n---\nText.\n",
			want: []string{
				"1-18 It ran dry.\ntags: db; pool\ncustom field: b; d\nrelated docs: x.md\n" +
					"root cause: a leak in tests\nsymptoms: slow; dead",
				"19-19 Text.",
			},
		},
		{
			name: "nothing to find", collection: catalog.Compounding,
			content: "---\ntitle: Pool\ndate: 2026-01-02\n---\nText.\n", want: []string{"5-5 Text."},
		},
		{
			name: "no text behind it", collection: catalog.Compounding,
			content: "---\ntitle: Pool\nsummary: It ran dry.\n---\n", want: []string{"1-4 It ran dry."},
		},
		{
			name: "questions", collection: catalog.Compounding,
			content: "---\nsummary: Dry.\nquestions: [\"Why is \\n it dry?\", \" \", How?]\n---\nText.\n",
			want:    []string{"1-4 Dry.", "5-5 Text.", "1-4 Why is it dry?", "1-4 How?"},
		},
		{
			name: "questions that are no text", collection: catalog.Compounding,
			content: "---\nquestions: [{q: Why?, a: So.}]\n---\nText.\n", want: []string{"1-3 questions: So.; Why?", "4-4 Text."},
		},
		{
			name: "too many and too long questions of a lenient project", collection: catalog.Compounding,
			content: "---\nquestions: [" + strings.Repeat("x", maxQuestionRunes+1) + strings.Repeat(", y", 20) + "]\n---\nText.\n",
			want: append([]string{"4-4 Text.", "1-3 " + strings.Repeat("x", maxQuestionRunes-1) + "…"},
				slices.Repeat([]string{"1-3 y"}, maxQuestions-1)...),
		},
		{name: "no front matter", collection: catalog.External, content: "Text.\n", want: []string{"1-1 Text."}},
		{
			name: "a page of the handbook", collection: catalog.Handbook,
			content: "---\ntitle: Pool\nsummary: It ran dry.\n---\nText.\n", want: []string{"5-5 Text."},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, p := range dissectText(t, test.collection, test.content).Passages {
				got = append(got, lineRange(p)+" "+p.Text)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("passages (-want +got):\n%s", diff)
			}
		})
	}
}

// Front matter that exceeds the model's window is cut, and nothing of it is lost.
func TestFrontMatterPassages_Long(t *testing.T) {
	t.Parallel()
	var solution strings.Builder
	for i := range 1500 {
		solution.WriteString(strings.Repeat("x", i%7+1) + " ")
	}
	solution.WriteString("theend")
	doc := dissectText(t, catalog.Compounding, "---\ntitle: Pool\nsolution: "+solution.String()+"\n---\nText.\n")
	words := 0
	for _, p := range doc.Passages {
		if tokens := markdown.EstimateTokens(p.Heading + "\n\n" + p.Text); tokens > markdown.DefaultLimit().MaxTokens {
			t.Errorf("a passage has %d tokens", tokens)
		}
		words += len(strings.Fields(p.Text))
	}
	rows, _, _ := (&Indexer{tenant: &catalog.Tenant{}}).rows([]Dissection{doc}, nil)
	if want := len(strings.Fields(solution.String())) + len([]string{"solution:", "Text."}); words != want || rows.ChunkCounts[0] != 0 {
		t.Errorf("the passages have %d words in %d chunks, want %d in none", words, rows.ChunkCounts[0], want)
	}
}

func lineRange(p DissectedPassage) string {
	return fmt.Sprintf("%d-%d", p.StartLine, p.EndLine)
}
