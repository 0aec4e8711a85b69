package main

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/compound-docs/compound-docs/internal/project"
	"github.com/compound-docs/compound-docs/rag/markdown"
)

// catalogue is the one long document.
const catalogue = "csharp-compounding-docs/codebase/error-code-catalogue.md"

func TestCorpus_DocumentsFitTheirDocTypes(t *testing.T) {
	t.Parallel()
	definition := loadCorpus(t)
	set, err := readCollection(definition.Root)
	if err != nil {
		t.Fatal(err)
	}
	for _, document := range set.Documents {
		words := len(strings.Fields(document.Text))
		long := document.ID == catalogue
		// Japanese has no spaces between words.
		if !strings.Contains(document.Text, "。") && (words < 150 || words > 900 && !long) {
			t.Errorf("%s has %d words, want 150 to 900", document.ID, words)
		}
		// One of its answers is far from its beginning.
		before, _, found := strings.Cut(document.Text, "### KL-RPT-005")
		if line := strings.Count(before, "\n") + 1; long && (!found || line <= 400) {
			t.Errorf("KL-RPT-005 is on line %d of %s, want it beyond 400", line, document.ID)
		}
		frontMatter(t, definition, document)
	}
}

// frontMatter returns that of a document, which the schema of its folder must allow.
func frontMatter(t *testing.T, definition *project.Project, d document) map[string]any {
	t.Helper()
	docType, ok := definition.DocTypeOf(d.Path)
	if !ok {
		t.Fatalf("%s is in the folder of no doc-type", d.Path)
	}
	parsed, err := markdown.Parse([]byte(d.Text))
	if err != nil {
		t.Fatalf("%s: %v", d.Path, err)
	}
	for _, violation := range docType.Validate(parsed.FrontMatter) {
		t.Errorf("%s: %s %s (expected: %s)", d.Path, violation.Field, violation.Problem, violation.Expected)
	}
	return parsed.FrontMatter
}

// loadCorpus returns the definition of the project that the own set is about.
func loadCorpus(t *testing.T) *project.Project {
	t.Helper()
	dir, err := filepath.Abs("corpus")
	if err != nil {
		t.Fatal(err)
	}
	definition, err := project.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	return definition
}

func TestCorpus_HasQuestionsOfEveryKind(t *testing.T) {
	t.Parallel()
	set, err := readCollection("corpus")
	if err != nil {
		t.Fatal(err)
	}
	if len(set.Documents) < 60 || len(set.Queries) < 120 {
		t.Errorf("got %d documents and %d questions, want at least 60 and 120", len(set.Documents), len(set.Queries))
	}
	kinds := map[string]int{}
	for _, query := range set.Queries {
		kinds[query.Kind]++
		if answered := len(set.Judged[query.ID]) > 0; answered == (query.Kind == "unanswerable") {
			t.Errorf("%s is of the kind %q, and whether it has an answer is %t", query.ID, query.Kind, answered)
		}
	}
	for _, kind := range []string{
		"identifier", "identifier in a sentence", "long document", "near-duplicate", "negation", "other language",
		"paraphrase", "unanswerable",
	} {
		if kinds[kind] < 5 {
			t.Errorf("%d questions are of the kind %q, want at least 5", kinds[kind], kind)
		}
		delete(kinds, kind)
	}
	if len(kinds) > 0 {
		t.Errorf("unexpected kinds: %v", kinds)
	}
}

// Each document of questions.jsonl has the questions in one of the two tasks, as a schema allows them.
func TestQuestionTasks(t *testing.T) {
	t.Parallel()
	definition := loadCorpus(t)
	tasks, err := questionTasks(definition.Root, "questions.jsonl", nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, set := range tasks {
		with := 0
		for _, written := range set.Documents {
			if list, _ := frontMatter(t, definition, written)["questions"].([]any); len(list) == 3 {
				with++
			}
		}
		if want := i * len(set.Queries); with != want {
			t.Errorf("%s: %d documents have three questions, want %d", set.Name, with, want)
		}
		for id, judged := range set.Judged {
			for path := range judged {
				if !slices.ContainsFunc(set.Documents, func(d document) bool { return d.Path == path }) {
					t.Errorf("%s is judged for %s, which is no document", id, path)
				}
			}
		}
	}
}
