package conformance

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/test/toolexample"
	"github.com/compound-docs/compound-docs/tools"
)

// calls returns the arguments of every tool's example, as options of the Inspector.
func calls(t *testing.T, root string) map[string][]string {
	t.Helper()
	calls := map[string][]string{}
	for _, group := range tools.Groups() {
		for _, tool := range group.Tools {
			example, err := toolexample.ReadExample("../..", tool.Name)
			if err != nil {
				t.Fatal(err)
			}
			var arguments map[string]any
			if err := json.Unmarshal(example.ArgumentsAt(root), &arguments); err != nil {
				t.Fatal(err)
			}
			calls[tool.Name] = nil
			for name, value := range arguments {
				text, isText := value.(string)
				if !isText {
					encoded, err := json.Marshal(value)
					if err != nil {
						t.Fatal(err)
					}
					text = string(encoded)
				}
				calls[tool.Name] = append(calls[tool.Name], "--tool-arg", name+"="+text)
			}
		}
	}
	return calls
}

// inspector is the Inspector with a server, in one version of the protocol.
type inspector struct {
	target  []string
	version string
	calls   map[string][]string // see calls
}

// inspect decodes what the Inspector prints.
func (i inspector) inspect(t *testing.T, out any, arguments ...string) {
	t.Helper()
	stdout, code := run(t, nil, "mcp-inspector", slices.Concat(i.target, []string{"--protocol-era", i.version}, arguments)...)
	if code != 0 {
		t.Fatalf("the Inspector ends with %d", code)
	}
	if err := json.Unmarshal(stdout, out); err != nil {
		t.Fatalf("%v in %s", err, stdout)
	}
}

// The Inspector lists every tool, finds no fault in the schemas, and calls every tool,
// in both versions of the protocol. It checks the answers against the output schemas.
func TestInspector(t *testing.T) {
	t.Parallel()
	installed(t)
	in := installIndexed(t)
	target := []string{"--cli"}
	for _, variable := range in.Command().Env {
		target = append(target, "-e", variable)
	}
	target = append(target, in.Program, "serve", "--quiet")
	for _, version := range []string{"legacy", "modern"} {
		i := inspector{target: target, version: version, calls: calls(t, in.Root)}
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			t.Run("tools/list", i.listsTools)
			for tool, arguments := range i.calls {
				t.Run(tool, func(t *testing.T) { i.callsTool(t, tool, arguments) })
			}
			t.Run("resource", i.readsResource)
		})
	}
}

func (i inspector) listsTools(t *testing.T) {
	t.Parallel()
	var list struct{ Tools []struct{ Name string } }
	i.inspect(t, &list, "--method", "tools/list", "--strict")
	names := []string{}
	for _, tool := range list.Tools {
		names = append(names, tool.Name)
	}
	slices.Sort(names)
	if diff := cmp.Diff(slices.Sorted(maps.Keys(i.calls)), names); diff != "" {
		t.Errorf("tools (-called +listed):\n%s", diff)
	}
}

func (i inspector) callsTool(t *testing.T, tool string, arguments []string) {
	t.Helper()
	t.Parallel()
	var result struct {
		Content []struct{ Type, Text string }
		IsError bool
	}
	i.inspect(t, &result, slices.Concat([]string{"--method", "tools/call", "--tool-name", tool}, arguments)...)
	if len(result.Content) != 1 || result.Content[0].Text == "" || result.IsError {
		t.Errorf("answer %+v", result)
	}
}

func (i inspector) readsResource(t *testing.T) {
	t.Parallel()
	const uri = "ui://compound-docs/page"
	var result struct {
		Contents []struct{ URI, MimeType string }
	}
	i.inspect(t, &result, "--method", "resources/read", "--uri", uri)
	if diff := cmp.Diff([]struct{ URI, MimeType string }{{uri, "text/html;profile=mcp-app"}}, result.Contents); diff != "" {
		t.Errorf("contents (-want +got):\n%s", diff)
	}
}
