package main_test

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/test/fakeollama"
	"github.com/compound-docs/compound-docs/test/mcpclient"
	"github.com/compound-docs/compound-docs/test/testenv"
)

// protocolVersions are the two ways in which clients talk to a server: with the handshake
// of initialize, and stateless after server/discover.
func protocolVersions() map[string]string {
	return map[string]string{"handshake": "2025-11-25", "stateless": "2026-07-28"}
}

// connectVersion speaks the protocol's version with a server, over stdio.
func connectVersion(t *testing.T, command *exec.Cmd, version string) *mcpclient.Client {
	t.Helper()
	session, err := mcpclient.StartVersion(t.Context(), command, version)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := session.Close(); err != nil {
			t.Error(err)
		}
	})
	if got := session.InitializeResult().ProtocolVersion; got != version {
		t.Fatalf("the server speaks %s, want %s", got, version)
	}
	return session
}

// failure is a call that must fail, the state that makes it fail, and its message.
type failure struct {
	prepare   func()
	tool      string
	arguments map[string]any
	code      string
	// message holds what tells a reader what is wrong and what to do.
	message []string
	// details are the keys that a program relies on.
	details []string
}

// errorFixture is the surroundings that a failure is prepared in.
type errorFixture struct {
	*testing.T
	session *mcpclient.Client
	fake    *fakeollama.Server
	// root is a project with external docs, bare is one without.
	root, bare string
}

func (e *errorFixture) activate(root string) func() {
	return func() {
		e.Helper()
		var answer toolError
		if call(e.T, e.session, "activate_project", activation(root), &answer) {
			e.Fatalf("activate_project: %+v", answer)
		}
	}
}

// failures are in an order in which each finds what it needs.
func (e *errorFixture) failures() []failure {
	config := ".csharp-compounding-docs/config.json"
	search := map[string]any{"query": "connection pool"}
	return []failure{
		{
			tool: "semantic_search", arguments: search, code: "PROJECT_NOT_ACTIVATED",
			message: []string{"call activate_project", config, "branch"}, details: []string{"requiredTool"},
		},
		{
			tool: "activate_project", code: "FILE_SYSTEM_ERROR",
			arguments: activation(newProject(e.T, map[string]string{".git/HEAD": "damaged\n"})),
			message:   []string{"/.git/HEAD: it holds neither a branch nor a commit; git status says what is wrong"},
		},
		{
			tool: "activate_project", code: "FILE_SYSTEM_ERROR", arguments: activation(withFolderAsConfig(e.T)),
			message: []string{"config.json is not a regular file"}, details: []string{"config_path"},
		},
		{
			tool: "activate_project", code: "INVALID_ARGUMENT",
			arguments: map[string]any{"config_path": e.bare, "branch_name": "ma\x00in"},
			message:   []string{"branch_name holds a NUL character"}, details: []string{"parameter"},
		},
		{
			tool: "search_handbook", code: "INVALID_ARGUMENT",
			arguments: map[string]any{"query": "x", "filter_section": "\x00"},
			message:   []string{"filter_section holds a NUL character"}, details: []string{"parameter"},
		},
		{
			prepare: e.activate(e.bare),
			tool:    "search_external_docs", arguments: search, code: "EXTERNAL_DOCS_NOT_CONFIGURED",
			message: []string{"external_docs is not configured", "Add 'external_docs.path' to your " + config},
			details: []string{"configFile", "exampleConfig"},
		},
		{
			prepare: e.activate(e.root),
			tool:    "update_promotion_level", code: "EXTERNAL_DOCS_NOT_PROMOTABLE",
			arguments: map[string]any{"document_path": "./docs/guide.md", "promotion_level": "critical"},
			message:   []string{"./docs/guide.md", "only documents in csharp-compounding-docs"},
		},
		{
			tool: "index_document", arguments: map[string]any{"path": "problems/missing.md"}, code: "DOCUMENT_NOT_FOUND",
			message: []string{`no document "problems/missing.md"`, "give its path in csharp-compounding-docs"},
		},
		{
			tool: "semantic_search", code: "INVALID_DOC_TYPE",
			arguments: map[string]any{"query": "pool", "doc_types": []string{"recipe"}},
			message:   []string{`"recipe"`, "problem, insight, codebase, tool, style"}, details: []string{"parameter", "doc_types"},
		},
		{
			tool: "index_document", arguments: map[string]any{"path": "problems/broken.md"}, code: "SCHEMA_VALIDATION_FAILED",
			message: []string{`date is "soon" (expected: a date as YYYY-MM-DD)`, "root_cause is missing"}, details: []string{"doc_type", "violations"},
		},
		{
			tool: "index_document", arguments: map[string]any{"path": "problems/folder.md"}, code: "FILE_SYSTEM_ERROR",
			message: []string{"./csharp-compounding-docs/problems/folder.md", "is not a regular file; put a file there in its place"},
		},
		{
			tool: "semantic_search", arguments: map[string]any{"query": "pool", "limit": 101}, code: "INVALID_ARGUMENT",
			message: []string{"limit is 101", "minimum 1, maximum 100", "for example 10"}, details: []string{"parameter"},
		},
		{
			prepare: e.fake.Close,
			tool:    "semantic_search", arguments: map[string]any{"query": "never asked before", "mode": "vector"}, code: "EMBEDDING_SERVICE_ERROR",
			message: []string{e.fake.URL(), "start Ollama: ollama serve"}, details: []string{"circuit_state", "retry_after_seconds", "innerMessage"},
		},
	}
}

// Every error code of a tool except INTERNAL_ERROR, which means a bug, over stdio and in both
// versions. The last one, DATABASE_ERROR, has a server without a database.
func TestServe_ErrorCodes(t *testing.T) {
	t.Parallel()
	for name, version := range protocolVersions() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fake := fakeollama.Start(t)
			command := server(t, "CDOCS_DATABASE_URL="+testenv.IndexURL(t), "CDOCS_OLLAMA_HOST="+fake.URL())
			e := &errorFixture{
				T: t, session: connectVersion(t, command, version), fake: fake,
				root: faultyProject(t), bare: newProject(t, map[string]string{}),
			}
			seen := map[string]bool{}
			for _, f := range e.failures() {
				if f.prepare != nil {
					f.prepare()
				}
				f.check(t, e.session)
				seen[f.code] = true
			}
			without := failure{
				tool: "activate_project", arguments: activation(e.root), code: "DATABASE_ERROR",
				message: []string{"no PostgreSQL server answers at 127.0.0.1:1", "start PostgreSQL or correct CDOCS_DATABASE_URL"},
				details: []string{"innerMessage"},
			}
			without.check(t, connectVersion(t, server(t, away()...), version))
			seen[without.code] = true

			want := []string{
				"DATABASE_ERROR", "DOCUMENT_NOT_FOUND", "EMBEDDING_SERVICE_ERROR", "EXTERNAL_DOCS_NOT_CONFIGURED",
				"EXTERNAL_DOCS_NOT_PROMOTABLE", "FILE_SYSTEM_ERROR", "INVALID_ARGUMENT", "INVALID_DOC_TYPE",
				"PROJECT_NOT_ACTIVATED", "SCHEMA_VALIDATION_FAILED",
			}
			if diff := cmp.Diff(want, slices.Sorted(maps.Keys(seen))); diff != "" {
				t.Errorf("codes (-want +got):\n%s", diff)
			}
		})
	}
}

func (f failure) check(t *testing.T, session *mcpclient.Client) {
	t.Helper()
	var got toolError
	if !call(t, session, f.tool, f.arguments, &got) {
		t.Errorf("%s succeeds, want %s", f.tool, f.code)
		return
	}
	if !got.Error || got.Code != f.code {
		t.Errorf("%s: %+v, want %s", f.tool, got, f.code)
	}
	for _, part := range f.message {
		if !strings.Contains(got.Message, part) {
			t.Errorf("%s: message %q lacks %q", f.code, got.Message, part)
		}
	}
	if got.Details == nil {
		t.Errorf("%s has no details", f.code)
	}
	for _, key := range f.details {
		if got.Details[key] == nil {
			t.Errorf("%s: details %v lack %q", f.code, got.Details, key)
		}
	}
}

// faultyProject has external docs, a document that does not fit its doc-type
// and a folder that is called like a document.
func faultyProject(t *testing.T) (root string) {
	t.Helper()
	root = newProject(t, map[string]string{
		".csharp-compounding-docs/config.json":       `{"project_name": "faulty", "external_docs": {"path": "./docs"}}`,
		"docs/guide.md":                              "# Guide\n\nA guide.\n",
		"csharp-compounding-docs/problems/broken.md": "---\ntitle: Broken\ndate: soon\n---\n\nText.\n",
	})
	folder := filepath.Join(root, "csharp-compounding-docs", "problems", "folder.md")
	if err := os.Mkdir(folder, 0o750); err != nil {
		t.Fatal(err)
	}
	return root
}

// withFolderAsConfig has a config that cannot be read.
func withFolderAsConfig(t *testing.T) (root string) {
	t.Helper()
	root = t.TempDir()
	write(t, root, ".csharp-compounding-docs/config.json/inside", "")
	return root
}
