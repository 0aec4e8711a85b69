package tools_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/internal/fakeollama"
	"github.com/compound-docs/compound-docs/project"
	"github.com/compound-docs/compound-docs/rag"
)

var update = flag.Bool("update", false, "write the golden files of testdata")

// exchange is a call with its answer, as testdata/<tool>.golden holds them.
type exchange struct {
	Case      string          `json:"case"`
	Arguments json.RawMessage `json:"arguments"`
	Answer    json.RawMessage `json:"answer,omitempty"`
	Text      string          `json:"text,omitempty"`
	Error     json.RawMessage `json:"error,omitempty"`
}

// scene is a transcript in the making: one tool of a server of its own, with a
// copy of testdata/project.
type scene struct {
	*testing.T
	fixture   *fixture
	client    client
	tool      string
	root      string
	exchanges []exchange
	seen      map[string]bool
}

// call calls the tool and notes what it answers.
func (s *scene) call(name string, arguments any) {
	s.Helper()
	if arguments == nil {
		arguments = map[string]any{}
	}
	encoded, err := json.Marshal(arguments)
	if err != nil {
		s.Fatal(err)
	}
	a := s.client.ask(s.T, s.tool, arguments)
	e := exchange{Case: name, Arguments: s.normalise(string(encoded))}
	switch {
	case a.IsError:
		e.Error = s.normalise(a.Text)
	case a.Structured == nil:
		e.Text = string(s.normalise(a.Text))
	default:
		contracts()[s.tool].check(s.T, a.Structured, s.seen)
		e.Answer = s.normalise(string(a.Structured))
	}
	s.exchanges = append(s.exchanges, e)
}

var (
	searchTime = regexp.MustCompile(`(Search time: )\d+\.\d{3}s`)
	timestamp  = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ`)
)

// normalise replaces what differs from run to run.
func (s *scene) normalise(text string) json.RawMessage {
	text = searchTime.ReplaceAllString(text, "${1}0.012s")
	text = timestamp.ReplaceAllString(text, "2025-01-22T09:30:00Z")
	return json.RawMessage(strings.NewReplacer(
		s.root, "/home/user/my-project",
		project.PathHash(s.root), "a1b2c3d4e5f60718",
		s.fixture.fake.URL(), "http://localhost:11434",
	).Replace(text))
}

func (s *scene) activate() {
	s.Helper()
	s.client.activate(s.T, s.root)
}

// ollamaFails makes Ollama fail at the path.
func (s *scene) ollamaFails(path string) {
	s.fixture.fake.SetFaults(fakeollama.Faults{Paths: []string{path}, Status: 500, Message: "the model crashed"})
}

// answers makes the language model write the text.
func (s *scene) answers(text string) {
	s.fixture.fake.SetAnswer(func(string, string) []string { return strings.SplitAfter(text, " ") })
}

// question has good answers in testdata/project.
const question = "How do we handle database connection pool exhaustion?"

type arguments = map[string]any

// scenes returns what is asked of each tool. The first call that succeeds is the
// example of docs/tools.md, and the errors are those that it lists.
func scenes() map[string]func(s *scene) {
	return map[string]func(s *scene){
		"activate_project":       activateScene,
		"semantic_search":        searchScene,
		"rag_query":              ragScene,
		"search_external_docs":   searchExternalScene,
		"rag_query_external":     ragExternalScene,
		"index_document":         indexScene,
		"list_doc_types":         listScene,
		"delete_documents":       deleteScene,
		"update_promotion_level": promoteScene,
		"search_handbook":        handbookScene,
		"ping": func(s *scene) {
			s.call("without a message", nil)
			s.call("with a message", arguments{"message": "Hello, Thoth!"})
		},
	}
}

func activateScene(s *scene) {
	s.call("a project", activation(s.root))
	write(s.T, s.root, "csharp-compounding-docs/problems/broken.md", "No front matter.\n")
	s.call("a document that does not fit its doc-type", activation(s.root))
	s.call("no such config", activation(filepath.Join(s.root, "elsewhere")))
	s.call("a branch without a name", arguments{"config_path": activation(s.root)["config_path"], "branch_name": " "})
}

func searchScene(s *scene) {
	query := arguments{"query": "connection pool exhausted", "limit": 2}
	s.call("no project is active", query)
	s.activate()
	s.call("documents on a subject", query)
	s.call("filtered by doc-type and level", arguments{
		"query": "connection pool", "doc_types": []string{"problem", "tool"}, "promotion_levels": []string{"important"},
	})
	s.call("nothing is relevant enough", arguments{"query": "connection pool exhausted", "min_relevance_score": 0.99})
	s.call("a doc-type that does not exist", arguments{"query": "connection pool", "doc_types": []string{"problems"}})
	s.call("a limit out of range", arguments{"query": "connection pool", "limit": 0})
	s.ollamaFails("/api/embed")
	s.call("Ollama fails", arguments{"query": "never asked before"})
}

func ragScene(s *scene) {
	s.activate()
	s.answers("Background jobs did not dispose their connections: every job now does so in a using statement " +
		"(./csharp-compounding-docs/problems/db-pool-exhaustion-20250115.md).")
	s.call("an answer from the documents and their links", arguments{"query": question, "min_relevance_score": 0.5})
	s.call("of important documents only", arguments{
		"query": question, "min_promotion_level": "important", "include_critical": false,
		"min_relevance_score": 0.5, "max_sources": 1,
	})
	s.call("nothing is relevant enough", arguments{"query": "Who bakes the bread?", "include_critical": false})
	s.call("a doc-type that does not exist", arguments{"query": question, "doc_types": []string{"recipe"}})
	s.call("a score out of range", arguments{"query": question, "min_relevance_score": 1.5})
	s.ollamaFails("/api/chat")
	s.call("the language model fails", arguments{"query": question, "min_relevance_score": 0.5, "max_sources": 1})
	s.ollamaFails("/api/embed")
	s.call("Ollama fails", arguments{"query": "never asked before"})
}

func searchExternalScene(s *scene) {
	s.activate()
	s.call("documents on a subject", arguments{"query": "database schema design", "min_relevance_score": 0.5})
	s.call("a section of a long document", arguments{
		"query": "a migration takes a lock: split it, add the column, fill it, make it mandatory", "min_relevance_score": 0.4,
	})
	s.call("nothing is relevant enough", arguments{"query": "database schema design", "min_relevance_score": 1})
	s.call("no query", arguments{})
	s.withoutExternalDocs()
	s.call("external docs are not configured", arguments{"query": "database schema design"})
}

func ragExternalScene(s *scene) {
	s.activate()
	s.answers("Clients send an access token, valid for fifteen minutes, in the Authorization header of every request " +
		"(./docs/api/authentication.md).")
	s.call("an answer from the external docs", arguments{
		"query": "How does API authentication work?", "min_relevance_score": 0.5,
	})
	s.call("nothing is relevant enough", arguments{"query": "Who bakes the bread?"})
	s.ollamaFails("/api/chat")
	s.call("the language model fails", arguments{"query": "How does API authentication work?", "max_sources": 1, "min_relevance_score": 0.5})
	s.withoutExternalDocs()
	s.call("external docs are not configured", arguments{"query": "How does API authentication work?"})
}

func (s *scene) withoutExternalDocs() {
	s.Helper()
	root := newProject(s.T, `{"project_name": "no-external-docs"}`, nil)
	s.client.activate(s.T, root)
}

func indexScene(s *scene) {
	s.activate()
	s.call("a valid document", arguments{"path": "./csharp-compounding-docs/problems/db-pool-exhaustion-20250115.md"})
	s.call("relative to the docs folder", arguments{"path": "problems/db-pool-exhaustion-20250115.md"})
	s.call("no such document", arguments{"path": "./csharp-compounding-docs/problems/new-issue-20250122.md"})
	write(s.T, s.root, "csharp-compounding-docs/problems/broken.md", "---\ntitle: Broken\ndate: soon\n---\n\nText.\n")
	s.call("front matter that does not fit", arguments{"path": "problems/broken.md"})
	s.call("a path that leads out", arguments{"path": "../../etc/passwd"})
	if err := os.Mkdir(filepath.Join(s.root, "csharp-compounding-docs", "problems", "folder.md"), 0o750); err != nil {
		s.Fatal(err)
	}
	s.call("a file that cannot be read", arguments{"path": "problems/folder.md"})
}

func listScene(s *scene) {
	s.activate()
	s.call("built-in and custom doc-types", nil)
	s.call("an unknown parameter", arguments{"folder": "problems"})
}

func deleteScene(s *scene) {
	s.activate()
	scope := arguments{"project_name": "my-project", "branch_name": "feature/new-feature"}
	s.call("a dry run", arguments{"project_name": "my-project", "branch_name": "feature/new-feature", "dry_run": true})
	s.call("a branch", scope)
	s.call("afterwards its project is not active", scope)
	s.activate()
	s.call("a checkout", arguments{"project_name": "my-project", "path_hash": project.PathHash(s.root)})
	s.activate()
	s.call("nothing that is there", arguments{"project_name": "another-project", "dry_run": true})
	s.call("without a project", arguments{"dry_run": true})
}

func promoteScene(s *scene) {
	s.activate()
	s.call("a document becomes critical", arguments{
		"document_path": "problems/n-plus-one-query-20250120.md", "promotion_level": "critical",
	})
	s.call("and standard again", arguments{
		"document_path": "./csharp-compounding-docs/problems/n-plus-one-query-20250120.md", "promotion_level": "standard",
	})
	s.call("no such document", arguments{"document_path": "problems/missing.md", "promotion_level": "critical"})
	s.call("an external document", arguments{"document_path": "./docs/api/authentication.md", "promotion_level": "critical"})
	s.call("no such level", arguments{"document_path": "problems/missing.md", "promotion_level": "urgent"})
}

func handbookScene(s *scene) {
	query := arguments{"query": "authentication process"}
	s.ingest(map[string]string{
		"handbook/security/authentication.md": "# Authentication process\n\nThe authentication process asks for a password and a code.\n",
		"handbook/onboarding.md":              "---\nsection: introduction\n---\n\n# First day\n\nAsk for a badge and a desk.\n",
	})
	s.call("passages on a subject", query)
	s.call("in a section", arguments{"query": "security best practices", "n_results": 5, "filter_section": "security"})
	s.call("a section that does not exist", arguments{"query": "password", "filter_section": "secrets"})
	s.call("a number of results out of range is clamped", arguments{"query": "badge", "n_results": 0})
	s.call("no query", arguments{"n_results": 3})
	s.ollamaFails("/api/embed")
	s.call("Ollama fails", arguments{"query": "never asked before"})
}

// ingest puts files into the handbook.
func (s *scene) ingest(documents map[string]string) {
	s.Helper()
	handbook, err := s.fixture.library.Handbook(s.Context())
	if err != nil {
		s.Fatal(err)
	}
	files := []rag.File{}
	for path, content := range documents {
		files = append(files, rag.File{Path: path, Content: []byte(content), Size: int64(len(content)), ModTime: time.Unix(1_700_000_000, 0)})
	}
	failures, err := s.fixture.library.Indexer(handbook, rag.Handbook, nil).Index(s.Context(), files)
	if err != nil || len(failures) > 0 {
		s.Fatal(err, failures)
	}
}

// What the tools answer is what the specification says and what the golden files
// show, in both eras, and every field that the contract names occurs.
func TestContract_Transcripts(t *testing.T) {
	t.Parallel()
	for tool, play := range scenes() {
		for era, version := range eras() {
			t.Run(tool+"/"+era, func(t *testing.T) {
				t.Parallel()
				f := setup(t)
				s := &scene{
					T: t, fixture: f, client: connect(t, f.server, version), tool: tool,
					root: copyProject(t, "testdata/project"), seen: map[string]bool{},
				}
				play(s)
				// An index that is behind is shown by activate_project's transcript alone.
				for path := range contracts()[tool].fieldsOf() {
					if !s.seen[path] && !strings.HasPrefix(path, "index") {
						t.Errorf("no answer of the transcript has %s", path)
					}
				}
				golden(t, tool+".golden", s.exchanges)
			})
		}
	}
}

// golden compares a value with the file of testdata that holds it as JSON.
func golden(t *testing.T, name string, value any) {
	t.Helper()
	var got bytes.Buffer
	encoder := json.NewEncoder(&got)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(value); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got.String()); diff != "" {
		t.Errorf("%s (-want +got); -update writes it anew:\n%s", path, diff)
	}
}

// tools/list as clients see it.
func TestContract_Snapshot(t *testing.T) {
	t.Parallel()
	server := setup(t).server
	for _, version := range eras() {
		list, err := connect(t, server, version).ListTools(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		golden(t, "tools.json", slices.Clone(list.Tools))
	}
}
