package tools_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func (c client) read(t *testing.T, uri string) (string, error) {
	t.Helper()
	result, err := c.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri})
	if err != nil {
		return "", err
	}
	if len(result.Contents) != 1 || result.Contents[0].URI != uri || result.Contents[0].MIMEType != "text/markdown" {
		t.Fatalf("%s is %+v", uri, result.Contents)
	}
	return result.Contents[0].Text, nil
}

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

// A resource is the current content of the file, byte for byte.
func TestResources_Read(t *testing.T) {
	t.Parallel()
	for name, version := range protocolVersions() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := connect(t, setup(t).server, version)
			root := copyProject(t, "testdata/project")
			c.activate(t, root)
			files := map[string]string{
				"csharp-compounding-docs/styles/async-naming-20250112.md":   "csharp-compounding-docs/styles/async-naming-20250112.md",
				"./csharp-compounding-docs/styles/async-naming-20250112.md": "csharp-compounding-docs/styles/async-naming-20250112.md",
				"docs/api/authentication.md":                                "docs/api/authentication.md",
				"csharp-compounding-docs/problems/gr%C3%BCn%20und%20neu.md": "csharp-compounding-docs/problems/grün und neu.md",
			}
			write(t, root, "csharp-compounding-docs/problems/grün und neu.md", "\ufeffNo front matter,\r\nand <b>no</b> end")
			for path, name := range files {
				want, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
				if err != nil {
					t.Fatal(err)
				}
				got, err := c.read(t, "cdocs://docs/"+path)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(string(want), got); diff != "" {
					t.Errorf("%s (-want +got):\n%s", path, diff)
				}
			}
		})
	}
}

// A document that is too long for a model's context is cut, and says so.
func TestResources_AreBounded(t *testing.T) {
	t.Parallel()
	c := connect(t, setup(t).server, protocolVersions()["stateless"])
	const path = "csharp-compounding-docs/problems/long.md"
	root := newProject(t, `{"project_name": "long-document"}`, map[string]string{path: strings.Repeat("ü", 1<<20)})
	c.ask(t, "activate_project", activation(root))
	got, err := c.read(t, "cdocs://docs/"+path)
	if err != nil {
		t.Fatal(err)
	}
	const most = 61_000
	if utf8.RuneCountInString(got) > most || !strings.HasPrefix(got, "üü") || !strings.HasSuffix(got, "open ./"+path+" to read them.]\n") {
		t.Errorf("%d characters that end with %q", utf8.RuneCountInString(got), got[max(0, len(got)-100):])
	}
}

// Only documents can be read. Other files are not found, whether they exist or not.
func TestResources_NotFound(t *testing.T) {
	t.Parallel()
	root := copyProject(t, "testdata/project")
	write(t, root, "csharp-compounding-docs/problems/.draft.md", "hidden")
	write(t, root, "csharp-compounding-docs/.obsidian/note.md", "hidden")
	write(t, root, "csharp-compounding-docs/problems/notes.txt", "no markdown")
	write(t, root, "docs/node_modules/package/README.md", "excluded")
	write(t, root, "README.md", "outside both folders")
	secret := filepath.Join(t.TempDir(), "secret.md")
	if err := os.WriteFile(secret, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, version := range protocolVersions() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := connect(t, setup(t).server, version)
			c.activate(t, root)
			for _, uri := range []string{
				"cdocs://docs/csharp-compounding-docs/problems/missing.md",
				"cdocs://docs/csharp-compounding-docs/problems",
				"cdocs://docs/csharp-compounding-docs/problems/.draft.md",
				"cdocs://docs/csharp-compounding-docs/.obsidian/note.md",
				"cdocs://docs/csharp-compounding-docs/problems/notes.txt",
				"cdocs://docs/csharp-compounding-docs/schemas/api-contract.schema.yaml",
				"cdocs://docs/docs/node_modules/package/README.md",
				"cdocs://docs/.csharp-compounding-docs/config.json",
				"cdocs://docs/README.md",
				"cdocs://docs/../../etc/passwd",
				"cdocs://docs/csharp-compounding-docs/../README.md",
				"cdocs://docs/csharp-compounding-docs/%2e%2e/README.md",
				"cdocs://docs/csharp-compounding-docs/problems/%00.md",
				"cdocs://docs/csharp-compounding-docs/problems/\u007f.md",
				"cdocs://docs/" + secret,
				"cdocs://docs/",
				"cdocs://other/README.md",
				"file:///etc/passwd",
			} {
				_, err := c.read(t, uri)
				if err == nil {
					t.Errorf("%s is read", uri)
					continue
				}
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
		})
	}
}

func TestResources_WithoutProject(t *testing.T) {
	t.Parallel()
	c := connect(t, setup(t).server, protocolVersions()["handshake"])
	_, err := c.read(t, "cdocs://docs/csharp-compounding-docs/problems/any.md")
	var data toolError
	e := wireError(t, err, &data)
	want := toolError{
		Error: true, Code: "PROJECT_NOT_ACTIVATED", Message: e.Message, Details: map[string]any{"requiredTool": "activate_project"},
	}
	if diff := cmp.Diff(want, data); diff != "" || e.Code != jsonrpc.CodeInternalError {
		t.Errorf("error %d (-want +got):\n%s", e.Code, diff)
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
			if _, err := c.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri}); err == nil {
				t.Error("there is a page of no project")
			}
			c.activate(t, copyProject(t, "testdata/project"))
			read, err := c.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri})
			if err != nil {
				t.Fatal(err)
			}
			page := read.Contents[0]
			if page.MIMEType != mimeType || !strings.HasPrefix(page.Text, "<!DOCTYPE html>") || !strings.Contains(page.Text, "async-naming-20250112.md") {
				t.Errorf("the page has type %s and begins %.100q", page.MIMEType, page.Text)
			}
		})
	}
}
