// Package eval_test checks the documents and the judged questions of corpus/, on
// which "make eval" measures search.
package eval_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/compound-docs/compound-docs/internal/eval"
	"github.com/compound-docs/compound-docs/internal/project"
	"github.com/compound-docs/compound-docs/rag/markdown"
)

// catalogue is the one long document.
const catalogue = "csharp-compounding-docs/codebase/error-code-catalogue.md"

func TestCorpus_DocumentsFitTheirDocTypes(t *testing.T) {
	t.Parallel()
	definition := load(t)
	for _, document := range documents(t) {
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
		docType, ok := definition.DocTypeOf(document.ID)
		if !ok {
			t.Errorf("%s is in the folder of no doc-type", document.ID)
			continue
		}
		parsed, err := markdown.Parse([]byte(document.Text))
		if err != nil {
			t.Errorf("%s: %v", document.ID, err)
			continue
		}
		for _, violation := range docType.Validate(parsed.FrontMatter) {
			t.Errorf("%s: %s %s (expected: %s)", document.ID, violation.Field, violation.Problem, violation.Expected)
		}
	}
}

func TestCorpus_HasQuestionsOfEveryKind(t *testing.T) {
	t.Parallel()
	collection, err := eval.ReadQueries("corpus", documents(t))
	if err != nil {
		t.Fatal(err)
	}
	if len(collection.Documents) < 60 || len(collection.Queries) < 120 {
		t.Errorf("got %d documents and %d questions, want at least 60 and 120", len(collection.Documents), len(collection.Queries))
	}
	kinds := map[string]int{}
	for _, query := range collection.Queries {
		kinds[query.Kind]++
		if answered := len(collection.Judged[query.ID]) > 0; answered == (query.Kind == "unanswerable") {
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

func load(t *testing.T) *project.Project {
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

func documents(t *testing.T) (documents []eval.Document) {
	t.Helper()
	root := os.DirFS("corpus")
	err := fs.WalkDir(root, project.DocsFolder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := fs.ReadFile(root, path)
		documents = append(documents, eval.Document{ID: path, Text: string(content)})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return documents
}
