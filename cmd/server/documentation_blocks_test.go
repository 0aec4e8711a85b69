package main_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"go.yaml.in/yaml/v4"

	"github.com/compound-docs/compound-docs/internal/project"
	"github.com/compound-docs/compound-docs/test/testenv"
)

// blocks returns the blocks of a page that are written in a language. A block in a list
// loses its indent.
func blocks(t *testing.T, page, language string) (found []string) {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("..", "..", filepath.FromSlash(page)))
	must(t, err)
	if found = blocksOf(string(content), language); len(found) == 0 {
		t.Fatalf("%s has no block of %s", page, language)
	}
	return found
}

// blocksOf is blocks of the content of a page. The language may be a regular expression.
func blocksOf(content, language string) (found []string) {
	block := regexp.MustCompile("(?ms)^( *)```(?:" + language + ")\n(.*?)^ *```$")
	for _, match := range block.FindAllStringSubmatch(content, -1) {
		found = append(found, strings.ReplaceAll("\n"+match[2], "\n"+match[1], "\n")[1:])
	}
	return found
}

// The document, the configurations and the schemas that pages show are valid together.
func TestDocumentation_ConfigurationIsValid(t *testing.T) {
	t.Parallel()
	document := blocks(t, "README.md", "markdown")[0]
	for _, page := range []string{"docs/configuration.md", "plugin/skills/create-type/SKILL.md"} {
		schema := blocks(t, page, "yaml")[0]
		for _, block := range blocks(t, page, "json") {
			var keys map[string]any
			if err := json.Unmarshal([]byte(block), &keys); err != nil {
				t.Errorf("%s: %v in %s", page, err, block)
				continue
			}
			root := t.TempDir()
			switch {
			case keys["ollama_host"] != nil:
				write(t, root, project.SettingsFile, block)
				if _, err := project.LoadSettings(root); err != nil {
					t.Errorf("%s: %v in %s", page, err, block)
				}
				continue
			case keys["project_name"] == nil:
				block = `{ "project_name": "a", "custom_doc_types": [` + block + `] }`
			}
			write(t, root, ".csharp-compounding-docs/config.json", block)
			write(t, root, "csharp-compounding-docs/problems/pool-20260115.md", document)
			write(t, root, "csharp-compounding-docs/schemas/api-contract.schema.yaml", schema)
			write(t, root, "docs/solutions/problems/pool-20260115.md", document)
			if o := run(t, root, nil, "lint"); o.code != 0 || !strings.Contains(o.stdout, " document") || strings.Contains(o.stdout, "0 documents") {
				t.Errorf("%s: lint ends with %d: %s%s in %s", page, o.code, o.stdout, o.stderr, block)
			}
		}
	}
	defaults, err := json.Marshal(project.DefaultConfig())
	must(t, err)
	var want, got map[string]any
	must(t, json.Unmarshal(defaults, &want))
	must(t, json.Unmarshal([]byte(blocks(t, "docs/configuration.md", "json")[1]), &got))
	for _, key := range []string{"documents", "retrieval", "semantic_search", "link_resolution"} {
		if diff := cmp.Diff(want[key], got[key]); diff != "" {
			t.Errorf("docs/configuration.md does not have the defaults of %s (-want +got):\n%s", key, diff)
		}
	}
}

// notExecuted are statements that change the whole PostgreSQL server. The first block
// makes roles, as setUpRoles does.
const notExecuted = "ALTER SYSTEM"

var sqlComment = regexp.MustCompile(`--.*`)

// An administrator can run what docs/teams.md has for a shared database. Its first two
// blocks make roles: see setUpRoles and denyMigrations.
func TestDocumentation_StatementsRun(t *testing.T) {
	t.Parallel()
	databaseURL := testenv.DatabaseURL(t)
	mustRun(t, t.TempDir(), []string{"CDOCS_DATABASE_URL=" + databaseURL}, "clean", "--dry-run")
	conn, err := pgx.Connect(t.Context(), databaseURL)
	must(t, err)
	defer conn.Close(t.Context()) //nolint:errcheck // of a test
	for _, block := range blocks(t, "docs/teams.md", "sql")[2:] {
		for statement := range strings.SplitSeq(sqlComment.ReplaceAllString(block, ""), ";") {
			statement = strings.TrimSpace(statement)
			if statement == "" || strings.HasPrefix(statement, notExecuted) {
				continue
			}
			if _, err := conn.Exec(t.Context(), statement); err != nil {
				t.Errorf("%v in %s", err, statement)
			}
		}
	}
}

// The workflow of docs/lint.md is YAML, and calls lint as it can be called.
func TestDocumentation_WorkflowLints(t *testing.T) {
	t.Parallel()
	var workflow struct {
		Jobs map[string]struct {
			Steps []struct{ Uses, Run string }
		}
	}
	must(t, yaml.Load([]byte(blocks(t, "docs/lint.md", "yaml")[0]), &workflow))
	steps := workflow.Jobs["lint"].Steps
	if len(steps) == 0 {
		t.Fatal("the workflow has no job lint with steps")
	}
	arguments, found := strings.CutPrefix(steps[len(steps)-1].Run, "npx --yes compound-docs ")
	if !found {
		t.Fatalf("the last step is %+v", steps[len(steps)-1])
	}
	if o := run(t, demoProject(t), nil, strings.Fields(arguments)...); o.code != 0 {
		t.Errorf("%s ends with %d: %s%s", arguments, o.code, o.stdout, o.stderr)
	}
}
