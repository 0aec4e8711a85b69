package containers_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/test/testenv"
)

var update = flag.Bool("update", false, "write the golden file of testdata")

// Every tool, on whichever route the services were reached: the answers are those
// of the golden file in any case.
func TestTools_AnswerTheSameOnEveryRoute(t *testing.T) {
	t.Parallel()
	if testenv.OllamaModels(t) != testenv.TinyModels {
		t.Skip("the golden file was made with the stand-ins for the models")
	}
	in := installation{root: t.TempDir(), databaseURL: testenv.DatabaseURL(t), ollamaHost: testenv.OllamaHost(t)}
	if err := os.CopyFS(in.root, os.DirFS("../../examples/demo-project")); err != nil {
		t.Fatal(err)
	}
	handbook := filepath.Join(t.TempDir(), "handbook")
	if err := os.CopyFS(handbook, os.DirFS(filepath.Join(in.root, "docs"))); err != nil {
		t.Fatal(err)
	}
	ingest := in.command(t, "ingest", "--source", handbook)
	if err := ingest.Run(); err != nil {
		t.Fatal("ingest:", err)
	}
	s := in.serve(t)

	var transcript strings.Builder
	uncalled := map[string]bool{}
	list, err := s.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range list.Tools {
		uncalled[tool.Name] = true
	}
	for _, c := range callsOf(in) {
		text, err := s.Text(t.Context(), c.tool, c.arguments)
		if err != nil {
			t.Error(err)
		}
		fmt.Fprintf(&transcript, "== %s\n%s\n", c.tool, in.normalise(t, c.tool, text))
		delete(uncalled, c.tool)
	}
	if len(uncalled) > 0 {
		t.Errorf("tools that were not called: %v", uncalled)
	}
	compareGolden(t, transcript.String())
}

// call is one of a tool.
type call struct {
	tool      string
	arguments map[string]any
}

// callsOf returns a call of every tool.
func callsOf(in installation) []call {
	question := "The shipment list page is slow because of an N+1 query. How did we load the latest event?"
	document := "./csharp-compounding-docs/problems/n-plus-one-shipments-20260114.md"
	return []call{
		{"ping", map[string]any{"message": "hello"}},
		{"activate_project", map[string]any{
			"config_path": in.config(), "branch_name": "main",
		}},
		{"list_doc_types", nil},
		{"index_document", map[string]any{"path": document}},
		{"semantic_search", map[string]any{"query": question, "limit": 3, "min_relevance_score": 0.1}},
		{"rag_query", map[string]any{"query": question, "max_sources": 1, "min_relevance_score": 0.1}},
		{"search_external_docs", map[string]any{"query": "Which kubectl command rolls the Kubernetes deployment back?", "limit": 3}},
		{"rag_query_external", map[string]any{"query": "Which kubectl command rolls the Kubernetes deployment back?", "max_sources": 1}},
		{"search_handbook", map[string]any{"query": "How is a backup of the database restored?", "n_results": 2}},
		{"update_promotion_level", map[string]any{"document_path": document, "promotion_level": "important"}},
		{"delete_documents", map[string]any{"project_name": "parcelwright", "dry_run": true}},
		{"delete_documents", map[string]any{"project_name": "parcelwright"}},
	}
}

func compareGolden(t *testing.T, transcript string) {
	t.Helper()
	golden := filepath.Join("testdata", "tools.golden")
	if *update {
		if err := os.WriteFile(golden, []byte(transcript), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), transcript); diff != "" {
		t.Errorf("the tools answer differently (-want +got):\n%s", diff)
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
	text = strings.ReplaceAll(text, in.root, "ROOT")
	text = fractions.ReplaceAllString(text, "$1")
	text = seconds.ReplaceAllString(text, "Search time: 0s")
	return pathHash.ReplaceAllString(text, `"path_hash": "HASH"`)
}
