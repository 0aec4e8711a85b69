package main_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/compound-docs/compound-docs/test/fakeollama"
	"github.com/compound-docs/compound-docs/test/testenv"
)

const configPath = ".csharp-compounding-docs/config.json"

// bombs are repositories that are small on disk. failed are how many of their
// files cannot be indexed.
func bombs() map[string]struct {
	files  map[string]string
	failed int
} {
	type repository = struct {
		files  map[string]string
		failed int
	}
	external := `{"project_name": "test-project", "external_docs": {"path": "./docs"}}`
	several := func(pattern string, number int, content string) map[string]string {
		files := map[string]string{configPath: external, "docs/other.md": "# Other\n"}
		for i := range number {
			files[fmt.Sprintf(pattern, i)] = content
		}
		return files
	}
	const megabytes = 7 << 19 // 3.5
	frontMatter := func(yaml string) string { return "---\n" + yaml + "\n---\n\n# Title\n" }
	custom := func(schema, yaml string) map[string]string {
		files := several("csharp-compounding-docs/api/%d.md", 10, frontMatter("title: T\n"+yaml))
		files[configPath] = `{"project_name": "test-project", "external_docs": {"path": "./docs"}, "custom_doc_types": [` +
			`{"name": "api", "description": "x", "folder": "api", "schema_file": "./schemas/api.json"}]}`
		files["csharp-compounding-docs/schemas/api.json"] = schema
		return files
	}
	problems := "csharp-compounding-docs/problems/%d.md"
	return map[string]repository{
		"dashes in front matter":    {several(problems, 10, frontMatter(strings.Repeat("- ", 32<<10))), 10},
		"dashes in external files":  {several("docs/%d.md", 10, frontMatter(strings.Repeat("- ", 32<<10))), 0},
		"dashes in brackets":        {several(problems, 10, frontMatter("a: ["+strings.Repeat("- ", 31<<10))), 10},
		"aliases of a long text":    {several("docs/%d.md", 10, frontMatter("a: &x "+strings.Repeat("x", 48<<10)+"\nb: ["+strings.Repeat("*x,", 4900)+"]")), 0},
		"empty lines in a text":     {several(problems, 10, frontMatter("a: |\n  "+strings.Repeat("\n", 60<<10))), 10},
		"steps of a schema":         {custom(stepsSchema(), "tags: ["+strings.Repeat("a, ", 9_900)+"a]"), 10},
		"patterns of a schema":      {custom(patternSchema(), "tags: []\n"+"component: "+strings.Repeat("word ", 12_000)), 10},
		"a list":                    {several("docs/%d.md", 1, strings.Repeat("- a\n", megabytes/4)), 0},
		"eight lists":               {several("docs/%d.md", 8, strings.Repeat("- a\n", megabytes/4)), 0},
		"lists in lists":            {several("docs/%d.md", 8, strings.Repeat("- a\n  - b\n    - c\n", megabytes/18)), 0},
		"one item with a long list": {several("docs/%d.md", 8, "- a\n"+strings.Repeat("  - b\n", megabytes/6)), 0},
		"markers":                   {several("docs/%d.md", 8, strings.Repeat(strings.Repeat("- ", 60)+"a\n\n", megabytes/123)), 0},
	}
}

// stepsSchema applies hundreds of schemas to each tag, and none fits.
func stepsSchema() string {
	return `{"$defs":{"a":{"type":"integer"}},"type":"object","properties":{"tags":{"items":{"allOf":[` +
		strings.Repeat(`{"$ref":"#/$defs/a"},`, 800) + `{"type":"integer"}]}}}}`
}

// patternSchema looks through a text with a pattern of many steps, many times.
func patternSchema() string {
	return `{"$defs":{"a":{"pattern":"^((a|w|o|r|d| ){1,30}){1,30}$"}},"type":"object","properties":{"component":{"allOf":[` +
		strings.Repeat(`{"$ref":"#/$defs/a"},`, 95) + `{"type":"string"}]}}}`
}

// Each takes gigabytes if nothing is bounded. They run one after the other: what
// is measured is one of them.
func TestServe_BoundsItsMemory(t *testing.T) {
	for name, bomb := range bombs() {
		t.Run(name, func(t *testing.T) {
			p := startProcess(t, "CDOCS_DATABASE_URL="+testenv.DatabaseURL(t), "CDOCS_OLLAMA_HOST="+fakeollama.Start(t).URL(), "CDOCS_LOG_LEVEL=error")
			root := newProject(t, bomb.files)
			p.activate(t, root)
			p.awaitIndexed(t, bomb.failed)
			peak := peakMemory(t, p.command.Process.Pid)
			t.Logf("%s: %d MiB", name, peak>>20)
			if peak > memoryBound {
				t.Errorf("the server took %d MiB, more than %d", peak>>20, memoryBound>>20)
			}
			p.mustEnd(t, endings()["EOF"])
		})
	}
}

// awaitIndexed waits until nothing is pending, and fails unless so many files
// have failed.
func (p *process) awaitIndexed(t *testing.T, failed int) {
	t.Helper()
	for {
		p.begin(t, "list_doc_types", map[string]any{})
		var message struct {
			Result struct {
				StructuredContent struct {
					Index *struct {
						Pending     int    `json:"pending"`
						FailedCount int    `json:"failed_count"`
						Waiting     string `json:"waiting"`
						Failed      []any  `json:"failed"`
					} `json:"index"`
				} `json:"structuredContent"`
			} `json:"result"`
		}
		answer := p.answer(t)
		if err := json.Unmarshal([]byte(answer), &message); err != nil {
			t.Fatal(err)
		}
		index := message.Result.StructuredContent.Index
		switch {
		case index == nil && failed == 0:
			return
		case index != nil && index.Pending == 0 && index.FailedCount > 0:
			if index.FailedCount != failed {
				t.Errorf("%d files have failed, want %d: %s", index.FailedCount, failed, answer)
			}
			return
		case index != nil && index.Waiting != "":
			t.Fatalf("indexing waits: %s", answer)
		}
	}
}
