package containers_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/compound-docs/compound-docs/test/gitrepo"
	"github.com/compound-docs/compound-docs/test/golden"
	"github.com/compound-docs/compound-docs/test/testenv"
	"github.com/compound-docs/compound-docs/test/toolexample"
	"github.com/compound-docs/compound-docs/tools"
)

// Every tool is called as in its example file. The answers are those of the golden
// file, whether the services are containers or processes of this machine.
func TestTools_AnswerTheSameOnEveryRoute(t *testing.T) {
	t.Parallel()
	answersTheSame(t, testenv.DatabaseURL(t))
}

// answersTheSame compares the answers over a database with the golden file.
func answersTheSame(t *testing.T, databaseURL string) {
	t.Helper()
	if testenv.OllamaModels(t) != testenv.TinyModels {
		t.Skip("the golden file was made with the stand-ins for the models")
	}
	in := newInstallation(t, databaseURL, testenv.OllamaHost(t))
	if err := os.CopyFS(in.Root, os.DirFS("../../tools/testdata/project")); err != nil {
		t.Fatal(err)
	}
	s := in.serve(t)
	if err := s.Activate(t.Context(), in.Config(), toolexample.Branch); err != nil {
		t.Fatal(err)
	}
	var transcript strings.Builder
	for _, group := range tools.Groups() {
		for _, tool := range group.Tools {
			text, err := s.Text(t.Context(), tool.Name, in.exampleArguments(t, tool))
			if err != nil {
				t.Error(err)
			}
			fmt.Fprintf(&transcript, "== %s\n%s\n", tool.Name, in.normalise(t, tool.Name, text))
		}
	}
	golden.Compare(t, filepath.Join("testdata", "tools.golden"), transcript.String())
}

// exampleArguments returns the arguments of a tool's example, and ingests the handbook
// that it needs.
func (in installation) exampleArguments(t *testing.T, tool tools.Tool) (arguments map[string]any) {
	t.Helper()
	example, err := toolexample.ReadExample("../..", tool.Name)
	if err != nil {
		t.Fatal(err)
	}
	if example.Before.Handbook != nil {
		in.ingest(t, example.Before.Handbook)
	}
	if err := json.Unmarshal(example.ArgumentsAt(in.Root), &arguments); err != nil {
		t.Fatal(err)
	}
	// The stand-ins for the models give lower scores than the examples were made with.
	if schema, ok := tool.InputSchema.(*jsonschema.Schema); ok && schema.Properties["min_relevance_score"] != nil {
		arguments["min_relevance_score"] = 0
	}
	return arguments
}

// ingest fills the handbook with files, whose paths begin with handbook/.
func (in installation) ingest(t *testing.T, files map[string]string) {
	t.Helper()
	in.Root = t.TempDir()
	for path, content := range files {
		gitrepo.At(t, in.Root).Put(path, content)
	}
	if out, err := in.Command("ingest", "handbook").CombinedOutput(); err != nil {
		t.Fatalf("ingest: %v\n%s", err, out)
	}
}

var (
	// fractions have digits that depend on the order in which a processor adds.
	fractions = regexp.MustCompile(`\b(0\.\d\d)\d+`)
	seconds   = regexp.MustCompile(`Search time: \d+\.\d+s`)
	pathHash  = regexp.MustCompile(`"path_hash": "[0-9a-f]{16}"`)
)

// normalise indents an answer and replaces what differs from run to run.
func (in installation) normalise(t *testing.T, tool, text string) string {
	t.Helper()
	var answer any
	if json.Unmarshal([]byte(text), &answer) == nil {
		if fields, ok := answer.(map[string]any); ok && strings.HasPrefix(tool, "rag_query") {
			fields["answer"] = "what the language model says"
		}
		indented, err := json.MarshalIndent(answer, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		text = string(indented)
	}
	text = strings.ReplaceAll(text, in.Root, "ROOT")
	text = fractions.ReplaceAllString(text, "$1")
	text = seconds.ReplaceAllString(text, "Search time: 0s")
	return pathHash.ReplaceAllString(text, `"path_hash": "HASH"`)
}
