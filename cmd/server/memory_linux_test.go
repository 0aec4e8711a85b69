package main_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/compound-docs/compound-docs/test/fakeollama"
	"github.com/compound-docs/compound-docs/test/indexstate"
	"github.com/compound-docs/compound-docs/test/testenv"
)

// bomb is a repository that is small on disk and takes gigabytes without bounds.
type bomb struct {
	name  string
	files map[string]string
	// failed are how many files cannot be indexed. Of the others, the server has
	// met the bomb when so many are indexed.
	failed, indexed int
}

// frontMatterBombs are ten files each, whose front matter is huge once it is parsed
// or checked against a schema.
func frontMatterBombs() []bomb {
	const problems, external = "csharp-compounding-docs/problems/%d.md", "docs/%d.md"
	ten := func(pattern, yaml string) map[string]string {
		return files(pattern, 10, func(int) string { return "---\n" + yaml + "\n---\n\n# Title\n" })
	}
	custom := func(schema, yaml string) map[string]string {
		repository := ten("csharp-compounding-docs/api/%d.md", "title: T\n"+yaml)
		repository[configPath] = `{"project_name": "test-project", "external_docs": {"path": "./docs"}, "custom_doc_types": [` +
			`{"name": "api", "description": "x", "folder": "api", "schema_file": "./schemas/api.json"}]}`
		repository["csharp-compounding-docs/schemas/api.json"] = schema
		return repository
	}
	aliases := "a: &x " + strings.Repeat("x", 48<<10) + "\nb: [" + strings.Repeat("*x,", 4900) + "]"
	return []bomb{
		{"dashes", ten(problems, strings.Repeat("- ", 32<<10)), 10, 1},
		{"keys", ten(problems, numbered("k%d: v\n", 60<<10, 0)), 10, 1},
		{"aliases of a long text", ten(external, aliases), 0, 11},
		{"empty lines in a text", ten(problems, "a: |\n  "+strings.Repeat("\n", 60<<10)), 10, 1},
		{"steps of a schema", custom(stepsSchema(), "tags: ["+strings.Repeat("a, ", 9_900)+"a]"), 10, 1},
		{"patterns of a schema", custom(patternSchema(), "tags: []\n"+"component: "+strings.Repeat("word ", 12_000)), 10, 1},
	}
}

// markdownBombs are files of 3.5 MB with huge trees, passages or vectors. The test waits for the
// first of eight files; the others are indexed at the same time.
func markdownBombs() []bomb {
	const size = 7 << 19
	one := func(text string) map[string]string { return files("docs/%d.md", 1, func(int) string { return text }) }
	eight := func(unit string) map[string]string {
		return files("docs/%d.md", 8, func(int) string { return strings.Repeat(unit, size/len(unit)) })
	}
	eightNumbered := func(format string) map[string]string {
		return files("docs/%d.md", 8, func(i int) string { return numbered(format, size, i*size) })
	}
	repeat := func(unit string) map[string]string { return one(strings.Repeat(unit, size/len(unit))) }
	return []bomb{
		{"eight lists of different items", eightNumbered("- item %d\n"), 0, 2},
		{"one item with a long list", one("- a\n" + strings.Repeat("  - b\n", size/6)), 0, 2},
		{"markers", repeat(strings.Repeat("- ", 60) + "a\n\n"), 0, 2},
		{"eight files of definitions", eightNumbered("[r%[1]d]: x%[1]d\n\n[r%[1]d]\n\n"), 0, 2},
		{"links", one(numbered("[a](x%d.md) ", size, 0)), 0, 2},
		{"emphasis that never closes", repeat("*_"), 0, 2},
		{"eight blocks of code", eight("    a\n\n"), 0, 2},
		{"a table with a wide header", one("|" + strings.Repeat("a|", 1000) + "\n|" + strings.Repeat("-|", 1000) + "\n" + strings.Repeat("|\n", size/2)), 0, 2},
		{"one wide row", one("|" + strings.Repeat("a|", size/4) + "\n|" + strings.Repeat("-|", size/4)), 0, 2},
		{"different paragraphs", one(numbered("p%d\n\n", size, 0)), 0, 2},
		{"Chinese characters", one(randomRunes('一', 20_000, size)), 0, 2},
		{"one line", repeat("words and "), 0, 2},
	}
}

// files is a repository with a number of external documents, named by the pattern.
func files(pattern string, number int, content func(i int) string) map[string]string {
	repository := map[string]string{
		configPath: `{"project_name": "test-project", "external_docs": {"path": "./docs"}}`, "docs/other.md": "# Other\n",
	}
	for i := range number {
		repository[fmt.Sprintf(pattern, i)] = content(i)
	}
	return repository
}

// numbered repeats the format with rising numbers up to a size, so that no two
// passages are the same.
func numbered(format string, size, first int) string {
	var b strings.Builder
	for i := first; b.Len() < size; i++ {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

// randomRunes is a text of so many bytes, of characters from first on. It is the same
// in every run.
func randomRunes(first rune, number int32, size int) string {
	random := rand.New(rand.NewPCG(1, 2))
	var b strings.Builder
	for b.Len() < size {
		b.WriteRune(first + random.Int32N(number))
	}
	return b.String()
}

// stepsSchema applies hundreds of schemas to each tag, and none fits.
func stepsSchema() string {
	return `{"$defs":{"a":{"type":"integer"}},"type":"object","properties":{"tags":{"items":{"allOf":[` +
		strings.Repeat(`{"$ref":"#/$defs/a"},`, 800) + `{"type":"integer"}]}}}}`
}

// patternSchema looks through a text with a pattern of as many steps as a schema may have.
func patternSchema() string {
	return `{"$defs":{"a":{"pattern":"^((a|w|o|r|d| ){1,30}){1,30}$"}},"type":"object","properties":{"component":{"allOf":[` +
		`{"$ref":"#/$defs/a"},{"type":"string"}]}}}`
}

// What is measured is one server's own memory, so that several may run at a time.
func TestServe_BoundsItsMemory(t *testing.T) {
	t.Parallel()
	testenv.Slow(t, "memory and processor time are measured")
	for _, bomb := range append(frontMatterBombs(), markdownBombs()...) {
		t.Run(bomb.name, func(t *testing.T) {
			t.Parallel()
			databaseURL := testenv.IndexURL(t)
			pool := indexstate.OpenPool(t, databaseURL)
			dropVectorIndexes(t, pool)
			p := startProcess(t, "CDOCS_DATABASE_URL="+databaseURL, "CDOCS_OLLAMA_HOST="+fakeollama.Start(t).URL(), "CDOCS_LOG_LEVEL=error")
			p.begin(t, "activate_project", activation(newProject(t, bomb.files)))
			until(t, "documents are indexed", 2*time.Minute, func() bool {
				return count(t, pool, "SELECT count(*) FROM documents") >= bomb.indexed
			})
			p.answer(t)
			if bomb.failed > 0 {
				until(t, "the others have failed", time.Minute, func() bool { return p.failedFiles(t) == bomb.failed })
			}
			peak := peakMemory(t, p.command.Process.Pid)
			t.Logf("%s: %d MiB, %s of processor time", bomb.name, peak>>20, p.processorTime(t))
			if peak > memoryBound {
				t.Errorf("the server took %d MiB, more than %d", peak>>20, memoryBound>>20)
			}
			p.endsUnread(t, endings()["EOF"]) // perhaps in the middle of a large batch
		})
	}
}

// dropVectorIndexes spares the database the graphs of thousands of vectors, which
// take it minutes and the server no memory.
func dropVectorIndexes(t *testing.T, pool *pgxpool.Pool) {
	t.Helper()
	if _, err := pool.Exec(t.Context(), `DO $$ DECLARE name text; BEGIN
		FOR name IN SELECT indexname FROM pg_indexes WHERE indexdef LIKE '%USING hnsw%' LOOP
			EXECUTE format('DROP INDEX %I', name);
		END LOOP; END $$`); err != nil {
		t.Fatal(err)
	}
}

// failedFiles asks how many files cannot be indexed.
func (p *process) failedFiles(t *testing.T) int {
	t.Helper()
	p.begin(t, "list_doc_types", map[string]any{})
	var message struct {
		Result struct {
			StructuredContent struct {
				Index struct {
					FailedCount int `json:"failed_count"`
				} `json:"index"`
			} `json:"structuredContent"` //nolint:tagliatelle // the protocol's name
		} `json:"result"`
	}
	must(t, json.Unmarshal([]byte(p.answer(t)), &message))
	return message.Result.StructuredContent.Index.FailedCount
}
