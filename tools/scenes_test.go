package tools_test

import (
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/compound-docs/compound-docs/internal/document"
	"github.com/compound-docs/compound-docs/internal/project"
	"github.com/compound-docs/compound-docs/rag"
)

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
	s.call("before a project is active", arguments{"project_name": "my-project", "dry_run": true})
	s.activate()
	scope := arguments{"project_name": "my-project", "branch_name": "feature/new-feature"}
	s.call("a dry run", arguments{"project_name": "my-project", "branch_name": "feature/new-feature", "dry_run": true})
	s.call("a branch", scope)
	s.call("again, with nothing left", scope)
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
	files := []document.File{}
	for path, content := range documents {
		files = append(files, document.File{Path: path, Content: []byte(content), Size: int64(len(content)), ModTime: time.Unix(1_700_000_000, 0)})
	}
	failures, err := s.fixture.library.Indexer(handbook, rag.Handbook, nil).Index(s.Context(), files)
	if err != nil || len(failures) > 0 {
		s.Fatal(err, failures)
	}
}
