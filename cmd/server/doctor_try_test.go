package main_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"github.com/compound-docs/compound-docs/test/testenv"
)

// tried returns what doctor --try says of each step.
func tried(t *testing.T, root string, environment []string, arguments ...string) map[string]finding {
	t.Helper()
	var found diagnosis
	o := run(t, root, environment, append([]string{"doctor", "--try", "--json"}, arguments...)...)
	if err := json.Unmarshal([]byte(o.stdout), &found); err != nil {
		t.Fatalf("doctor --try prints %s%s: %v", o.stdout, o.stderr, err)
	}
	steps := map[string]finding{}
	for _, f := range found.Findings {
		if step, ok := strings.CutPrefix(f.Check, "try "); ok {
			steps[step] = f
		}
	}
	return steps
}

// tables lists the tables of a database with their rows, but for those of the extension.
func tables(t *testing.T, url string) (found []string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { must(t, conn.Close(t.Context())) }()
	rows, err := conn.Query(t.Context(), `
		SELECT nspname || '.' || relname || ' ' || coalesce((xpath('/row/n/text()', query_to_xml(
			format('SELECT count(*) AS n FROM %I.%I', nspname, relname), false, true, '')))[1]::text, '')
		FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
		WHERE relkind = 'r' AND nspname !~ '^(pg_|information_schema)' ORDER BY 1`)
	if err == nil {
		found, err = pgx.CollectRows(rows, pgx.RowTo[string])
	}
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// A round trip on a real PostgreSQL and a real Ollama works with and without an index, with
// what a killed one has left, and leaves nothing.
func TestDoctor_TriesARoundTrip(t *testing.T) {
	t.Parallel()
	database := testenv.DatabaseURL(t)
	environment := []string{"CDOCS_DATABASE_URL=" + database, "CDOCS_OLLAMA_HOST=" + testenv.OllamaHost(t), "CLAUDE_CONFIG_DIR=" + t.TempDir()}
	root := newProject(t, map[string]string{
		"csharp-compounding-docs/problems/pool.md": strings.ReplaceAll(problem, "%", "Connection pool exhausted"),
	})
	for _, when := range []string{"an empty database", "an index"} {
		before := tables(t, database)
		steps := tried(t, root, environment)
		for step, want := range map[string]string{
			"database": "it answers", "index": "3 documents indexed", "words": `"pool_max_conns" finds "Requests wait`,
			"meaning": "finds ", "answer": "mistral has written ", "server": "serve offers ",
		} {
			if got := steps[step]; got.Severity != "ok" || !strings.Contains(got.What, want) || !strings.Contains(got.What, ", in ") {
				t.Errorf("with %s, try %s says %+v, want %q", when, step, got, want)
			}
		}
		if diff := cmp.Diff(before, tables(t, database)); diff != "" {
			t.Errorf("with %s a round trip changes tables (-before +after):\n%s", when, diff)
		}
		mustRun(t, root, environment, "sync")
		conn, err := pgx.Connect(t.Context(), database)
		must(t, err)
		_, err = conn.Exec(t.Context(), "DROP SCHEMA IF EXISTS compound_docs_try CASCADE; CREATE SCHEMA compound_docs_try")
		must(t, err, conn.Close(t.Context()))
	}
}

// Without Ollama words are tried, and the rest is named. The server is the registered one;
// one that the repository names is started with leave only.
func TestDoctor_TriesWhatThereIs(t *testing.T) {
	t.Parallel()
	root, user := newProject(t, nil), t.TempDir()
	environment := []string{
		"CDOCS_DATABASE_URL=" + testenv.DatabaseURL(t), "CDOCS_OLLAMA_HOST=http://127.0.0.1:1", "CLAUDE_CONFIG_DIR=" + user,
		"SERVER=" + testenv.Program(t),
	}
	ran := filepath.Join(user, "ran")
	registered := func(command string, arguments ...string) string {
		text, err := json.Marshal(map[string]any{"mcpServers": map[string]any{"compound-docs": map[string]any{"command": command, "args": arguments}}})
		must(t, err)
		return string(text)
	}
	shared := registered("sh", "-c", "touch "+ran+"; exit 3")
	for _, test := range []struct {
		name, user, shared string
		arguments          []string
		server             finding
		runs               bool
	}{
		{"registered for the user", registered("${SERVER}", "serve"), "", nil, finding{Severity: "ok", What: "'${SERVER}' serve offers "}, false},
		{"no server", registered("false"), "", nil, finding{Severity: "error", What: ", after ", Fix: "run it by hand and read what it says: false"}, false},
		{"of the repository", "{}", shared, nil, finding{Severity: "skipped", What: "comes with the repository; doctor --try --yes starts its sh"}, false},
		{"of the repository, with leave", "{}", shared, []string{"--yes"}, finding{Severity: "error", What: ", after "}, true},
	} {
		write(t, user, ".claude.json", test.user)
		if test.shared != "" {
			write(t, root, ".mcp.json", test.shared)
		}
		steps := tried(t, root, environment, test.arguments...)
		if got := steps["server"]; got.Severity != test.server.Severity || !strings.Contains(got.What, test.server.What) ||
			!strings.Contains(got.Fix, test.server.Fix) {
			t.Errorf("%s: try server says %+v, want %+v", test.name, got, test.server)
		}
		if _, err := os.Stat(ran); (err == nil) != test.runs {
			t.Errorf("%s: the repository's command has run: %v, want %v", test.name, err == nil, test.runs)
		}
		for step, want := range map[string]string{"words": "ok", "meaning": "skipped", "answer": "skipped"} {
			if steps[step].Severity != want || want == "skipped" && !strings.Contains(steps[step].What, "left out: Ollama does not answer") {
				t.Errorf("%s: try %s says %+v, want %s", test.name, step, steps[step], want)
			}
		}
	}
}
