package tools_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// wireError returns the error of the protocol, and decodes its data into data.
func wireError(t *testing.T, err error, data any) *jsonrpc.Error {
	t.Helper()
	e, ok := errors.AsType[*jsonrpc.Error](err)
	if !ok {
		t.Fatalf("%v is no error of the protocol", err)
	}
	if err := json.Unmarshal(e.Data, data); err != nil {
		t.Fatalf("%v: data %q: %v", e, e.Data, err)
	}
	return e
}

func TestResources_Template(t *testing.T) {
	t.Parallel()
	server := setup(t).server
	for _, version := range protocolVersions() {
		c := connect(t, server, version)
		templates, err := c.ListResourceTemplates(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		compareJSON(t, "resource_templates.json", templates.ResourceTemplates)
		list, err := c.ListResources(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]*mcp.Resource{}, list.Resources); diff != "" {
			t.Errorf("resources (-want +got):\n%s", diff)
		}
	}
}

// Only the page can be read, and only of an active project.
func TestResources_NotFound(t *testing.T) {
	t.Parallel()
	for name, version := range protocolVersions() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := connect(t, setup(t).server, version)
			for _, uri := range []string{"ui://compound-docs/other", "ui://compound-docs/\u007f", "cdocs://docs/README.md", "file:///etc/passwd"} {
				_, err := c.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri})
				var data map[string]string
				e := wireError(t, err, &data)
				want := jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "Resource not found"}
				if diff := cmp.Diff(want, jsonrpc.Error{Code: e.Code, Message: e.Message}); diff != "" {
					t.Errorf("%s (-want +got):\n%s", uri, diff)
				}
				if diff := cmp.Diff(map[string]string{"uri": uri}, data); diff != "" {
					t.Errorf("%s: data (-want +got):\n%s", uri, diff)
				}
			}
			_, err := c.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "ui://compound-docs/page"})
			var data toolError
			e := wireError(t, err, &data)
			want := toolError{
				Error: true, Code: "PROJECT_NOT_ACTIVATED", Message: e.Message, Details: map[string]any{"requiredTool": "activate_project"},
			}
			if diff := cmp.Diff(want, data); diff != "" || e.Code != jsonrpc.CodeInternalError {
				t.Errorf("error %d (-want +got):\n%s", e.Code, diff)
			}
		})
	}
}

// The page is an MCP App: a client finds it by the tool that it belongs to, and gets it for the project
// that is active. resources/list stays empty.
func TestResources_Page(t *testing.T) {
	t.Parallel()
	for name, version := range protocolVersions() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const uri, mimeType = "ui://compound-docs/page", "text/html;profile=mcp-app"
			c := connect(t, setup(t).server, version)
			want := map[string]any{"mimeTypes": []any{mimeType}}
			if diff := cmp.Diff(want, c.InitializeResult().Capabilities.Extensions["io.modelcontextprotocol/ui"]); diff != "" {
				t.Errorf("extension (-want +got):\n%s", diff)
			}
			for tool, err := range c.Tools(t.Context(), nil) {
				if err != nil {
					t.Fatal(err)
				}
				ui, declared := tool.Meta["ui"].(map[string]any)
				if tool.Name == "list_doc_types" != declared || declared && ui["resourceUri"] != uri {
					t.Errorf("%s has the page %v", tool.Name, ui)
				}
			}
			c.activate(t, copyProject(t, "testdata/project"))
			read, err := c.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri})
			if err != nil {
				t.Fatal(err)
			}
			if read.CacheScope != "private" {
				t.Errorf("the page of a repository may be cached for %s", read.CacheScope)
			}
			page := read.Contents[0]
			if page.MIMEType != mimeType || !strings.HasPrefix(page.Text, "<!DOCTYPE html>") || !strings.Contains(page.Text, "async-naming-20250112.md") {
				t.Errorf("the page has type %s and begins %.100q", page.MIMEType, page.Text)
			}
		})
	}
}
