package tools_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/compound-docs/compound-docs/db"
	"github.com/compound-docs/compound-docs/internal/project"
	"github.com/compound-docs/compound-docs/internal/workspace"
	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/rag/apierror"
	"github.com/compound-docs/compound-docs/rag/index"
	"github.com/compound-docs/compound-docs/test/testenv"
	"github.com/compound-docs/compound-docs/tools"
)

// offline returns a server without database and models: the check of arguments needs neither.
func offline() *mcp.Server {
	logger := slog.New(slog.DiscardHandler)
	database := db.NewDatabase(testenv.Source(""), logger)
	w := workspace.New(index.New(database, nil, logger), rag.NewSearcher(database, nil), nil, project.DefaultSettings(), "", logger)
	return tools.NewServer(tools.NewHandler(w, os.TempDir(), apierror.InMCP, logger), "", "test")
}

// The error about a wrong argument names the parameter, the fault and a correct value.
func TestArguments_Rejected(t *testing.T) {
	t.Parallel()
	const (
		searches       = ` is not a known field; give one of the fields doc_types, limit, min_relevance_score, mode, paths, promotion_levels, query, status, for example {"query":"connection pool exhausted"}`
		needsQuery     = `give text, maxLength 10000, for example "connection pool exhausted"`
		needsQuestion  = `give text, maxLength 10000, for example "How do we handle connection pool exhaustion?"`
		needsReference = `give text, maxLength 10000, for example "database schema design"`
		needsAPI       = `give text, maxLength 10000, for example "How does API authentication work?"`
		needsLimit     = `give a whole number, minimum 1, maximum 100, for example 10`
		needsSources   = `give a whole number, minimum 1, maximum 100, for example 3`
		needsLevel     = `give one of standard, important, critical, for example `
		needsDocument  = `give text, for example "problems/n-plus-one-query-20250120.md"`
	)
	type rejected struct{ tool, arguments, want string }
	tests := []rejected{
		{"semantic_search", `{"query": "a", "limit": 0}`, `limit is 0; ` + needsLimit},
		{"semantic_search", `{"query": "a", "limit": 101}`, `limit is 101; ` + needsLimit},
		{"semantic_search", `{"query": "a", "limit": 2.5}`, `limit is 2.5; ` + needsLimit},
		{"semantic_search", `{"query": "a", "limit": "3"}`, `limit is "3"; ` + needsLimit},
		{"semantic_search", `{"query": "a", "limit": 1e300}`, `limit is 1e+300; ` + needsLimit},
		{"semantic_search", `{"query": "a", "limit": 1e400}`, `arguments hold a number that is out of range; give an object, for example {"query":"connection pool exhausted"}`},
		{"semantic_search", `{"query": "a", "min_relevance_score": 1.5}`, `min_relevance_score is 1.5; give a number, minimum 0, maximum 1, for example 0.5`},
		{"semantic_search", `{"query": "a", "min_relevance_score": [0.5]}`, `min_relevance_score is a list; give a number, minimum 0, maximum 1, for example 0.5`},
		{"semantic_search", `{}`, `query is missing; ` + needsQuery},
		{"semantic_search", ``, `query is missing; ` + needsQuery},
		{"semantic_search", `null`, `query is missing; ` + needsQuery},
		{"semantic_search", `{"query": null}`, `query is missing; ` + needsQuery},
		{"semantic_search", `{"query": ""}`, `query is empty; ` + needsQuery},
		{"semantic_search", `{"query": {"text": "a"}}`, `query is an object; ` + needsQuery},
		{"semantic_search", `{"query": "` + strings.Repeat("ä", 10_001) + `"}`, `query is "` + strings.Repeat("ä", 96) + `…; ` + needsQuery},
		{"semantic_search", `{"query": "` + strings.Repeat("a", 100<<10) + `"}`, `query is "` + strings.Repeat("a", 100) + `"; ` + needsQuery},
		{"semantic_search", `{"query": "a", "doc_types": "problem"}`, `doc_types is "problem"; give a list of text, for example ["problem","tool"]`},
		{"semantic_search", `{"query": "a", "doc_types": ["tool", 7]}`, `doc_types[1] is 7; give text, for example ["problem","tool"]`},
		{"semantic_search", `{"query": "a", "promotion_levels": ["important", "Critical"]}`, `promotion_levels[1] is "Critical"; ` + needsLevel + `["important","critical"]`},
		{"semantic_search", `{"query": "a", "promotion_levels": "critical"}`, `promotion_levels is "critical"; give a list of one of standard, important, critical, for example ["important","critical"]`},
		{"semantic_search", `{"query": "a", "limti": 10}`, `limti` + searches},
		{"semantic_search", `{"Query": "a"}`, `Query` + searches + `. query is missing; ` + needsQuery},
		{"semantic_search", `{"query": "a", "` + strings.Repeat("x", 100<<10) + `": 1}`, strings.Repeat("x", 197) + "…" + searches},
		{"semantic_search", `[]`, `arguments is empty; give an object, for example {"query":"connection pool exhausted"}`},
		{"semantic_search", `["a"]`, `arguments is a list; give an object, for example {"query":"connection pool exhausted"}`},
		{"semantic_search", `"{\"query\": \"a\"}"`, `arguments is "{\"query\": \"a\"}"; give an object, for example {"query":"connection pool exhausted"}`},
		{"semantic_search", `{"limit": 0, "min_relevance_score": 2, "verbose": true}`, `limit is 0; ` + needsLimit +
			`. min_relevance_score is 2; give a number, minimum 0, maximum 1, for example 0.5. query is missing; ` + needsQuery +
			`. verbose` + searches},

		{"rag_query", `{}`, `query is missing; ` + needsQuestion},
		{"rag_query", `{"query": "a", "max_sources": 0}`, `max_sources is 0; ` + needsSources},
		{"rag_query", `{"query": "a", "min_relevance_score": 1.5}`, `min_relevance_score is 1.5; give a number, minimum 0, maximum 1, for example 0.7`},
		{"rag_query", `{"query": "a", "min_promotion_level": "high"}`, `min_promotion_level is "high"; ` + needsLevel + `"standard"`},
		{"rag_query", `{"query": "a", "include_critical": "yes"}`, `include_critical is "yes"; give true or false, for example true`},
		{"rag_query", `{"query": "a", "limit": 3}`, `limit is not a known field; give one of the fields doc_types, include_critical, max_sources, min_promotion_level, min_relevance_score, query, for example {"query":"How do we handle connection pool exhaustion?"}`},

		{"search_external_docs", `{}`, `query is missing; ` + needsReference},
		{"search_external_docs", `{"query": "a", "limit": 101}`, `limit is 101; ` + needsLimit},
		{"search_external_docs", `{"query": "a", "min_relevance_score": "0.5"}`, `min_relevance_score is "0.5"; give a number, minimum 0, maximum 1, for example 0.7`},
		{"search_external_docs", `{"query": "a", "doc_types": []}`, `doc_types is not a known field; give one of the fields limit, min_relevance_score, mode, query, for example {"query":"database schema design"}`},

		{"rag_query_external", `{}`, `query is missing; ` + needsAPI},
		{"rag_query_external", `{"query": "a", "max_sources": 101}`, `max_sources is 101; ` + needsSources},

		{"index_document", `{}`, `path is missing; give text, for example "./csharp-compounding-docs/problems/example-20260102.md"`},
		{"index_document", `{"path": ""}`, `path is empty; give text, for example "./csharp-compounding-docs/problems/example-20260102.md"`},

		{"list_doc_types", `{"folder": "problems"}`, `folder is not a known field; give no such field, for example {}`},

		{"delete_documents", `{}`, `project_name is missing; give text, pattern ^[a-z][a-z0-9-]*$, for example "my-project"`},
		{"delete_documents", `{"project_name": ":handbook"}`, `project_name is ":handbook"; give text, pattern ^[a-z][a-z0-9-]*$, for example "my-project"`},
		{"delete_documents", `{"project_name": "a", "branch_name": ""}`, `branch_name is empty; give text, for example "feature/old-branch"`},
		{"delete_documents", `{"project_name": "a", "path_hash": 12}`, `path_hash is 12; give text, for example "a1b2c3d4e5f60718"`},
		{"delete_documents", `{"project_name": "a", "dryrun": true}`, `dryrun is not a known field; give one of the fields branch_name, dry_run, path_hash, project_name, for example {"project_name":"my-project"}`},

		{"update_promotion_level", `{"promotion_level": "critical"}`, `document_path is missing; ` + needsDocument},
		{"update_promotion_level", `{"document_path": "", "promotion_level": "critical"}`, `document_path is empty; ` + needsDocument},
		{"update_promotion_level", `{"document_path": "a.md"}`, `promotion_level is missing; ` + needsLevel + `"critical"`},
		{"update_promotion_level", `{"document_path": "a.md", "promotion_level": "urgent"}`, `promotion_level is "urgent"; ` + needsLevel + `"critical"`},

		{"activate_project", `{}`, `branch_name is missing; give text, for example "main"` +
			`. config_path is missing; give text, for example "/home/user/my-project/.csharp-compounding-docs/config.json"`},
		{"activate_project", `{"config_path": "", "branch_name": "main"}`, `config_path is empty; give text, for example "/home/user/my-project/.csharp-compounding-docs/config.json"`},

		{"search_handbook", `{}`, `query is missing; give text, maxLength 10000, for example "How do I reset my password?"`},
		{"search_handbook", `{"query": "a", "n_results": "5"}`, `n_results is "5"; give a whole number, for example 5`},
		{"search_handbook", `{"query": "a", "section": "b"}`, `section is not a known field; give one of the fields filter_section, n_results, query, for example {"query":"How do I reset my password?"}`},

		{"recall", `{"event": "Stop"}`, `event is "Stop"; give one of UserPromptSubmit, PreToolUse, PostToolUse, PostToolUseFailure, SubagentStart, PreCompact, for example "UserPromptSubmit". session_id is missing; give text, for example "3f2c"`},

		{"ping", `{"message": 1}`, `message is 1; give text, for example "ping"`},
		{"ping", `{"text": "a"}`, `text is not a known field; give one of the fields message, for example {}`},
	}
	for _, group := range tools.Groups() {
		for _, tool := range group.Tools {
			if !slices.ContainsFunc(tests, func(tt rejected) bool { return tt.tool == tool.Name }) {
				t.Errorf("no wrong argument of %s is tried", tool.Name)
			}
		}
	}
	server := offline()
	for name, version := range protocolVersions() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := connect(t, server, version)
			for _, tt := range tests {
				got := c.fail(t, tt.tool, rawArguments(tt.arguments))
				if diff := cmp.Diff([]string{"INVALID_ARGUMENT", tt.want}, []string{got.Code, got.Message}); diff != "" {
					t.Errorf("%s %.80s (-want +got):\n%s", tt.tool, tt.arguments, diff)
				}
			}
		})
	}
}

// rawArguments returns arguments that are sent unchanged, or none for "".
func rawArguments(text string) any {
	if text == "" {
		return nil
	}
	return json.RawMessage(text)
}

// The details of the error say the same as the message about the first fault, for programs.
func TestArguments_Details(t *testing.T) {
	t.Parallel()
	long := `{"query": "a", "doc_types": [` + strings.Repeat("1,", 11) + `1]}`
	var message strings.Builder
	for i, index := range []int{0, 10, 11, 1, 2, 3, 4, 5, 6, 7} {
		if i > 0 {
			message.WriteString(". ")
		}
		fmt.Fprintf(&message, `doc_types[%d] is 1; give text, for example ["problem","tool"]`, index)
	}
	tests := []struct {
		name, arguments string
		want            toolError
	}{
		{"very many", long, toolError{Message: message.String(), Details: map[string]any{"parameter": "doc_types", "expected": "text", "example": []any{"problem", "tool"}}}},
		{"no object", `7`, toolError{
			Message: `arguments is 7; give an object, for example {"query":"connection pool exhausted"}`,
			Details: map[string]any{
				"parameter": "arguments", "expected": "an object", "example": map[string]any{"query": "connection pool exhausted"},
			},
		}},
	}
	c := connect(t, offline(), "2025-11-25")
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tt.want.Error, tt.want.Code = true, "INVALID_ARGUMENT"
			if diff := cmp.Diff(tt.want, c.fail(t, "semantic_search", json.RawMessage(tt.arguments))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// Correct arguments reach the tool, which then answers that no project is active.
func TestArguments_Accepted(t *testing.T) {
	t.Parallel()
	tests := []struct{ tool, arguments string }{
		{"semantic_search", `{"query": "a"}`},
		{"semantic_search", `{"query": "a", "limit": 1, "min_relevance_score": 0}`},
		{"semantic_search", `{"query": "a", "limit": 100, "min_relevance_score": 1}`},
		{"semantic_search", `{"query": "a", "limit": 10.0}`},
		{"semantic_search", `{"query": "a", "doc_types": [], "promotion_levels": []}`},
		{"semantic_search", `{"query": "a", "doc_types": null, "limit": null, "min_relevance_score": null, "promotion_levels": null}`},
		{"semantic_search", `{"query": "` + strings.Repeat("ä", 10_000) + `"}`},
		{"rag_query", `{"query": "a", "min_promotion_level": null, "include_critical": null}`},
		{"delete_documents", `{"project_name": "a", "branch_name": null, "path_hash": null, "dry_run": null}`},
		{"list_doc_types", ``},
		{"list_doc_types", `null`},
	}
	c := connect(t, offline(), "2025-11-25")
	for _, tt := range tests {
		got := c.fail(t, tt.tool, rawArguments(tt.arguments))
		if diff := cmp.Diff("PROJECT_NOT_ACTIVATED", got.Code); diff != "" {
			t.Errorf("%s %.80s: %s", tt.tool, tt.arguments, got.Message)
		}
	}
	for _, arguments := range []string{``, `{}`, `{"message": null}`} {
		if diff := cmp.Diff("pong: ping", c.ask(t, "ping", rawArguments(arguments)).Text); diff != "" {
			t.Errorf("%s: %s", arguments, diff)
		}
	}
}

// The error about any parameter shows a correct value.
func TestArguments_EveryParameterHasAnExample(t *testing.T) {
	t.Parallel()
	c := connect(t, offline(), "2025-11-25")
	list, err := c.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range list.Tools {
		for name := range schemaOf(t, tool.InputSchema).Properties {
			got := c.fail(t, tool.Name, map[string]any{name: map[string]any{}})
			if shown := strings.Count(got.Message, "for example"); !strings.Contains(got.Message, name+" is an object; give ") ||
				shown != strings.Count(got.Message, "; give ") || strings.Contains(got.Message+".", "for example .") {
				t.Errorf("%s: %s", tool.Name, got.Message)
			}
		}
	}
}

func TestArguments_UnknownTool(t *testing.T) {
	t.Parallel()
	for name, version := range protocolVersions() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := connect(t, offline(), version).CallTool(t.Context(), &mcp.CallToolParams{Name: "semantic_serach"})
			var wire *jsonrpc.Error
			if !errors.As(err, &wire) {
				t.Fatalf("%v is no error of the protocol", err)
			}
			want := &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: `unknown tool "semantic_serach"`}
			if diff := cmp.Diff(want, wire); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
