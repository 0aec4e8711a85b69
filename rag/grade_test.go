package rag_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/compound-docs/compound-docs/internal/document"
	"github.com/compound-docs/compound-docs/rag"
)

// A document answers from the threshold on, and may answer from .3 on or if its title, tags or text are near the query.
// Words of asking bring nothing near.
func TestSearch_Grades(t *testing.T) {
	t.Parallel()
	f := setup(t)
	files := []document.File{
		file("docs/title.md", "# Paths on Windows", "", strings.Repeat("Separators differ here. ", 200)),
		file("docs/tag.md", "---", "tags: [windows]", "---", "# Locked files", "", strings.Repeat("A file that is open stays. ", 150)),
		file("docs/text.md", "# Builds", "", strings.Repeat("Builds run in containers, on Linux and elsewhere. ", 100), "One runs on Windows."),
	}
	for i := range 40 {
		files = append(files, file(fmt.Sprintf("docs/%02d.md", i), fmt.Sprint("# Note ", i), "", "We know what the office needs and tell it."))
	}
	f.AddText(t, f.Tenant, files...)
	for _, test := range []struct {
		text     string
		minScore float64
		want     rag.Grade
		unsure   []string
	}{
		{"what do we know about Windows?", .999, rag.MayAnswer, []string{"docs/title.md", "docs/tag.md"}},
		{"paths on Windows", .5, rag.Answers, nil},
		{"tell us who bakes bread", .5, rag.Nothing, nil},
		{"zeppelin", .5, rag.Nothing, nil},
	} {
		for _, mode := range []rag.Mode{rag.Lexical, rag.Hybrid} {
			_, hits := f.found(t, rag.Query{Text: test.text, Mode: mode, MinScore: test.minScore})
			unsure := paths(hits.MayAnswer)
			missing := func(path string) bool { return !slices.Contains(unsure, path) }
			if hits.Grade != test.want || slices.ContainsFunc(test.unsure, missing) || test.want == rag.Nothing && len(unsure) > 0 {
				t.Errorf("mode %s: %q has the grade %s and may be answered by %q", mode, test.text, hits.Grade, paths(hits.MayAnswer))
			}
		}
	}
	_, hits := f.found(t, rag.Query{Text: "what do we know about Windows?", Mode: rag.Lexical, MinScore: .3, Unasked: true})
	if len(hits.Documents) != 0 {
		t.Errorf("unasked, %q are found", paths(hits.Documents))
	}
}
