package tools_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func (c client) complete(t *testing.T, reference mcp.CompleteReference, argument, value string) mcp.CompletionResultDetails {
	t.Helper()
	result, err := c.Complete(t.Context(), &mcp.CompleteParams{
		Ref: &reference, Argument: mcp.CompleteParamsArgument{Name: argument, Value: value},
	})
	if err != nil {
		t.Fatalf("%s %q: %v", argument, value, err)
	}
	return result.Completion
}

var documentRef = mcp.CompleteReference{Type: "ref/resource", URI: "cdocs://docs/{+path}"}

func all(values ...string) mcp.CompletionResultDetails {
	return mcp.CompletionResultDetails{Values: append([]string{}, values...), Total: len(values)}
}

func TestCompletion(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name      string
		reference mcp.CompleteReference
		argument  string
		value     string
		want      mcp.CompletionResultDetails
	}{
		{
			name: "a path by its beginning", reference: documentRef, argument: "path", value: "csharp-compounding-docs/pro",
			want: all("csharp-compounding-docs/problems/db-pool-exhaustion-20250115.md", "csharp-compounding-docs/problems/n-plus-one-query-20250120.md"),
		},
		{
			name: "the same, as answers write it", reference: documentRef, argument: "path", value: "./csharp-compounding-docs/problems/db",
			want: all("csharp-compounding-docs/problems/db-pool-exhaustion-20250115.md"),
		},
		{
			name: "a file by its beginning, before others that contain it", reference: documentRef, argument: "path", value: "A",
			want: all(
				"csharp-compounding-docs/api-contracts/orders-20250118.md", "csharp-compounding-docs/styles/async-naming-20250112.md",
				"docs/api/authentication.md", "docs/architecture/database-design.md",
				"csharp-compounding-docs/codebase/connection-management-20250108.md",
				"csharp-compounding-docs/problems/db-pool-exhaustion-20250115.md",
				"csharp-compounding-docs/problems/n-plus-one-query-20250120.md",
				"csharp-compounding-docs/tools/npgsql-configuration-20250110.md",
			),
		},
		{
			name: "a part of a path, in other letters", reference: documentRef, argument: "path", value: "JWT",
			want: all("docs/security/jwt-setup.md"),
		},
		{name: "what no path has", reference: documentRef, argument: "path", value: "100%_", want: all()},
		{name: "what PostgreSQL cannot hold", reference: documentRef, argument: "path", value: "a\x00", want: all()},
		{name: "an argument without values", reference: mcp.CompleteReference{Type: "ref/prompt", Name: "capture"}, argument: "doc_type", value: "p", want: all()},
		{name: "an argument that does not exist", reference: documentRef, argument: "name", want: all()},
	}
	for name, version := range protocolVersions() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := connect(t, setup(t).server, version)
			for _, test := range tests {
				if diff := cmp.Diff(all(), c.complete(t, test.reference, test.argument, test.value)); diff != "" {
					t.Errorf("%s, with no project (-want +got):\n%s", test.name, diff)
				}
			}
			c.activate(t, copyProject(t, "testdata/project"))
			for _, test := range tests {
				if diff := cmp.Diff(test.want, c.complete(t, test.reference, test.argument, test.value)); diff != "" {
					t.Errorf("%s (-want +got):\n%s", test.name, diff)
				}
			}
		})
	}
}

func TestCompletion_Bounded(t *testing.T) {
	t.Parallel()
	files := map[string]string{}
	for i := range 120 {
		files[fmt.Sprintf("docs/page-%03d.md", i)] = fmt.Sprintf("# Page %d\n", i)
	}
	c := connect(t, setup(t).server, protocolVersions()["stateless"])
	c.activate(t, newProject(t, `{"project_name": "many", "external_docs": {"path": "./docs"}}`, files))
	got := c.complete(t, documentRef, "path", "page")
	want := mcp.CompletionResultDetails{HasMore: true, Total: 120}
	for i := range 100 {
		want.Values = append(want.Values, fmt.Sprintf("docs/page-%03d.md", i))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("completion (-want +got):\n%s", diff)
	}
}

func TestCompletion_UnknownReference(t *testing.T) {
	t.Parallel()
	c := connect(t, setup(t).server, protocolVersions()["handshake"])
	for _, reference := range []mcp.CompleteReference{
		{Type: "ref/prompt", Name: "no-such-prompt"}, {Type: "ref/resource", URI: "test://{id}"},
	} {
		_, err := c.Complete(t.Context(), &mcp.CompleteParams{Ref: &reference, Argument: mcp.CompleteParamsArgument{Name: "a"}})
		if e, ok := errors.AsType[*jsonrpc.Error](err); !ok || e.Code != jsonrpc.CodeInvalidParams {
			t.Errorf("%+v: %v, want invalid parameters", reference, err)
		}
	}
}
