package project_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/internal/project"
)

func documentsConfig(folder string) string {
	return fmt.Sprintf(`{"project_name": "a", "documents": {"folder": %q, "lenient": true}}`, folder)
}

// The configuration comes with a clone: its documents are in the repository and can be seen.
func TestLoad_RefusesDocumentsFolders(t *testing.T) {
	t.Parallel()
	const hidden = "is hidden, and hidden files are not indexed"
	tests := []struct{ folder, want string }{
		{"/etc", "is an absolute path"},
		{`C:\docs`, "has a character that not every system allows"},
		{"docs\t", "has a character that not every system allows"},
		{".", "is the repository itself"},
		{"docs/..", "is the repository itself"},
		{"..", "leads out of the repository"},
		{"docs/../../elsewhere", "leads out of the repository"},
		{".git", hidden},
		{".GIT/hooks", hidden},
		{"docs/.private", hidden},
		{".csharp-compounding-docs", hidden},
		{"README.md", "is not a folder"},
		{"README.md/docs", "is not a folder"},
		{"to-outside", "leads out of the repository"},
		{"docs/to-outside/deep", "leads out of the repository"},
		{"to-root", "leads to the repository itself"},
		{"to-git", "leads to a hidden file or folder"},
		{"to-private", "leads to a hidden file or folder"},
		{"gitdata", "leads to a hidden file or folder"},
	}
	for _, tt := range tests {
		t.Run(tt.folder, func(t *testing.T) {
			t.Parallel()
			root := newRepo(t, map[string]string{
				".git": "gitdir: gitdata\n", "gitdata/HEAD": "ref: refs/heads/main\n", "docs/.private/": "", "README.md": "# A\n",
				configPath: documentsConfig(tt.folder),
			})
			outside := newRepo(t, map[string]string{"deep/": ""})
			for link, target := range map[string]string{
				"to-outside": outside, "docs/to-outside": outside, "to-root": ".", "to-git": "gitdata", "to-private": "docs/.private",
			} {
				symlink(t, target, filepath.Join(root, link))
			}
			_, err := project.Load(root)
			if got := message(t, err, root); !strings.Contains(got, tt.want) {
				t.Errorf("got %s, want that it %s", got, tt.want)
			}
		})
	}
}

// A file is indexed as the project's own or as an external one, never as both.
func TestLoad_DocumentsAndExternalDocs(t *testing.T) {
	t.Parallel()
	load := func(documents, external string) (*project.Project, string, error) {
		config := fmt.Sprintf(`{"project_name": "a", "documents": {"folder": %q}, "external_docs": {"path": %q}}`, documents, external)
		root := newRepo(t, map[string]string{configPath: config, "docs/solutions/deep/a.md": "# A\n"})
		p, err := project.Load(root)
		return p, root, err
	}
	p, _, err := load("docs/solutions", "docs")
	if err != nil {
		t.Fatal(err)
	}
	external, _ := p.External()
	if external.Match("solutions/deep/a.md") || !external.Prune("solutions") || !external.Match("guide.md") {
		t.Errorf("the own documents are external ones too: %+v", external)
	}
	for _, path := range []string{"docs/solutions", "docs/solutions/deep"} {
		_, root, err := load("docs/solutions", path)
		if got := message(t, err, root); !strings.Contains(got, "holds the project's own documents") {
			t.Errorf("external docs in %s: %s", path, got)
		}
	}
}

func TestProject_DocTypeOfInALenientProject(t *testing.T) {
	t.Parallel()
	p := mustLoad(t, newRepo(t, withConfig(`{"project_name": "a", "documents": {"folder": "docs/solutions", "lenient": true},
		"custom_doc_types": [{"name": "run_book", "folder": "ops/books"}]}`)))
	for path, want := range map[string]string{
		"docs/solutions/x.md":                               "problem",
		"./docs/solutions/build-errors/x.md":                "problem",
		"docs/solutions/schemas/x.md":                       "problem",
		"docs/solutions/tools/deep/x.md":                    "tool",
		"docs/solutions/Tool/x.md":                          "tool",
		"docs/solutions/conventions/tooling_decisions/x.md": "tool",
		"docs/solutions/best-practices/x.md":                "style",
		"docs/solutions/adr/0001.md":                        "codebase",
		"docs/solutions/ops/books/x.md":                     "run_book",
		"docs/solutions/run-book/x.md":                      "run_book",
		"docs/x.md":                                         "",
	} {
		if got, _ := p.DocTypeOf(path); got.Name != want {
			t.Errorf("%s is of the type %q, want %q", path, got.Name, want)
		}
	}
	p = mustLoad(t, newRepo(t, withConfig(documentsConfig("docs"))))
	if got, _ := p.DocTypeOf("docs/guides/x.md"); got.Name != "codebase" {
		t.Errorf("a document whose folders say nothing is of the type %q, want codebase", got.Name)
	}
}

func TestProject_LenientRules(t *testing.T) {
	t.Parallel()
	p := mustLoad(t, newRepo(t, withConfig(documentsConfig("docs/solutions"))))
	got, ok := p.Rules("docs/solutions/ui-bugs/x.md")
	if !ok || got.Name != "problem" || got.Docs != "docs/solutions" || !got.Lenient() {
		t.Fatalf("Rules() = %+v, %t", got, ok)
	}
	if named, ok := got.Named("style"); !ok || named.Name != "style" || named.SchemaHash != got.SchemaHash {
		t.Errorf("front matter names %+v, %t, want style", named, ok)
	}
	if named, ok := got.Named("guide"); ok {
		t.Errorf("front matter names %+v", named)
	}
	frontMatter := map[string]any{
		"doc_type": "guide", "title": "A", "date": "2026-01-02", "summary": "A", "significance": "correctness", "problem_type": "ui_bug",
		"symptoms": []any{"it fails"}, "root_cause": "a mistake", "solution": "correct it",
		"trigger": []any{}, "superseeds": "a.md", "promotion-level": "critical", "tag": "a", "Triggers": nil, "superseded-by": "a.md",
	}
	want := []project.Violation{
		{Field: "doc_type", Problem: `is "guide"`, Expected: "one of problem, insight, codebase, tool, style; it counts as problem"},
		{Field: "problem_type", Problem: `is "ui_bug"`, Expected: "one of bug, configuration, integration, performance, security, data"},
	}
	if diff := cmp.Diff(want, got.Validate(frontMatter)); diff != "" {
		t.Error(diff)
	}
	want = []project.Violation{
		{Field: "promotion-level", Problem: "is unknown", Expected: "promotion_level"},
		{Field: "superseeds", Problem: "is unknown", Expected: "supersedes"},
		{Field: "trigger", Problem: "is unknown", Expected: "triggers"},
	}
	if diff := cmp.Diff(want, got.Misspelt(frontMatter)); diff != "" {
		t.Error(diff)
	}
	strict := mustLoad(t, newRepo(t, map[string]string{
		configPath: `{"project_name": "a", "custom_doc_types": [
			{"name": "quiz", "description": "A quiz", "folder": "quizzes", "schema_file": "./schemas/quiz.yaml"}]}`,
		"csharp-compounding-docs/schemas/quiz.yaml": "type: object\nproperties: {question: {type: string}}\n",
	}))
	quiz, ok := strict.Rules("csharp-compounding-docs/quizzes/a.md")
	want = []project.Violation{{Field: "trigger", Problem: "is unknown", Expected: "triggers"}}
	if diff := cmp.Diff(want, quiz.Misspelt(map[string]any{"question": "Why?", "trigger": nil})); !ok || diff != "" {
		t.Errorf("%t: a field of the schema is no mistake (-want +got):\n%s", ok, diff)
	}
}
