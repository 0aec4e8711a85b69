package tools_test

import (
	"encoding/json"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/compound-docs/compound-docs/test/golden"
)

func (c client) prompt(t *testing.T, name string, arguments map[string]string) string {
	t.Helper()
	result, err := c.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: name, Arguments: arguments})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if len(result.Messages) != 1 || result.Messages[0].Role != "user" {
		t.Fatalf("%s answers %+v, want one message of the user", name, result.Messages)
	}
	text, ok := result.Messages[0].Content.(*mcp.TextContent)
	if !ok {
		t.Fatalf("%s answers %+v, want text", name, result.Messages[0].Content)
	}
	return text.Text
}

var (
	dashedDate = regexp.MustCompile(`\b20\d\d-\d\d-\d\d\b`)
	plainDate  = regexp.MustCompile(`-20\d{6}\b`)
)

// The text of each prompt is that of its golden file, with dates replaced.
func TestPrompts(t *testing.T) {
	t.Parallel()
	tests := []struct {
		golden, prompt string
		arguments      map[string]string
		empty, away    bool
	}{
		{golden: "recall", prompt: "recall", arguments: map[string]string{"topic": "connection pool"}},
		{golden: "recall_empty", prompt: "recall", empty: true},
		{golden: "recall_without_project", prompt: "recall", arguments: map[string]string{"topic": "connection pool"}, away: true},
		{golden: "capture", prompt: "capture"},
		{golden: "capture_one", prompt: "capture", arguments: map[string]string{"doc_type": "api-contract", "promotion_level": "critical"}},
		{golden: "capture_without_project", prompt: "capture", arguments: map[string]string{"doc_type": "problem"}, away: true},
	}
	for name, version := range protocolVersions() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, test := range tests {
				t.Run(test.golden, func(t *testing.T) {
					t.Parallel()
					c := connect(t, setup(t).server, version)
					switch {
					case test.empty:
						c.activate(t, newProject(t, `{"project_name": "empty"}`, nil))
					case !test.away:
						c.activate(t, copyProject(t, "testdata/project"))
					}
					text := c.prompt(t, test.prompt, test.arguments)
					text = plainDate.ReplaceAllString(dashedDate.ReplaceAllString(text, "YYYY-MM-DD"), "-YYYYMMDD")
					golden.Compare(t, filepath.Join("testdata", "prompts", test.golden+".golden"), text)
				})
			}
		})
	}
}

// A word of the user's sentence that is not a doc-type is ignored.
func TestPrompts_WordsThatAreNoArguments(t *testing.T) {
	t.Parallel()
	c := connect(t, setup(t).server, protocolVersions()["handshake"])
	c.activate(t, copyProject(t, "testdata/project"))
	got := c.prompt(t, "capture", map[string]string{"doc_type": "the", "promotion_level": "fix"})
	if diff := cmp.Diff(c.prompt(t, "capture", nil), got); diff != "" {
		t.Errorf("capture the fix (-without arguments +with):\n%s", diff)
	}
}

// For every doc-type, a document with the front matter of the prompt is valid.
func TestPrompts_CaptureIsIndexed(t *testing.T) {
	t.Parallel()
	c := connect(t, setup(t).server, protocolVersions()["stateless"])
	root := copyProject(t, "testdata/project")
	c.activate(t, root)
	frontMatter := regexp.MustCompile("(?s)File: `\\./(\\S+)`\n```yaml\n(---\n.*?---\n)```")
	found := frontMatter.FindAllStringSubmatch(c.prompt(t, "capture", map[string]string{}), -1)
	if len(found) != 6 {
		t.Fatalf("%d doc-types, want 6", len(found))
	}
	for _, match := range found {
		path := strings.Replace(match[1], "SHORT-SUBJECT", "subject", 1)
		write(t, root, path, fill(match[2])+"\n# Subject\n")
		var out map[string]any
		c.get(t, "index_document", map[string]any{"path": path}, &out)
		if diff := cmp.Diff("indexed", out["status"]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", path, diff)
		}
	}
}

// fill sets every field to the first value that its comment allows.
func fill(frontMatter string) string {
	lines := strings.Split(frontMatter, "\n")
	for i, line := range lines {
		field, expected, ok := strings.Cut(line, ": # ")
		if !ok {
			continue
		}
		value := "Some text"
		if values, ok := strings.CutPrefix(expected, "one of "); ok {
			value, _, _ = strings.Cut(values, ",")
		}
		if strings.HasPrefix(expected, "a list") {
			value = "[one]"
		}
		lines[i] = field + ": " + value
	}
	return strings.Join(lines, "\n")
}

func TestPrompts_List(t *testing.T) {
	t.Parallel()
	server := setup(t).server
	for _, version := range protocolVersions() {
		list, err := connect(t, server, version).ListPrompts(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		encoded, err := json.Marshal(list.Prompts)
		if err != nil {
			t.Fatal(err)
		}
		compareJSON(t, "prompts.json", json.RawMessage(encoded))
	}
}
