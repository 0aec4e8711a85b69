package main_test

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/internal/hooks"
)

// Questions that found nothing are kept. None is kept where the user does not want it.
func TestSearch_KeepsQuestionsThatFoundNothing(t *testing.T) {
	t.Parallel()
	environment, _ := services(t)
	home := t.TempDir()
	environment = append(environment, "CDOCS_HOME="+home, "CDOCS_OLLAMA_HOST=http://127.0.0.1:1")
	const problems = "csharp-compounding-docs/problems/"
	root := newProject(t, map[string]string{
		problems + "pool.md":  strings.ReplaceAll(problem, "%", "Connection pool exhausted"),
		problems + "cache.md": strings.ReplaceAll(problem, "%", "Velvet cache"),
	})
	kept := func() []string { return slices.Collect(maps.Keys(hooks.NewStore(home).Questions(root))) }
	mustRun(t, root, environment, "search", "connection pool exhausted")
	for range 2 {
		run(t, root, environment, "search", "zebra crossing")
	}
	run(t, root, environment, "search", "--doc-types", "tool", "connection pool")
	if diff := cmp.Diff([]string{"zebra crossing"}, kept()); diff != "" {
		t.Errorf("questions (-want +got):\n%s", diff)
	}
	write(t, root, problems+"zebra.md", strings.ReplaceAll(problem, "%", "Zebra crossing"))
	mustRun(t, root, environment, "search", "zebra crossing")
	if questions := kept(); len(questions) > 0 {
		t.Errorf("a question that was answered since is kept: %v", questions)
	}
	must(t, os.Remove(filepath.Join(root, problems+"zebra.md")))
	must(t, os.RemoveAll(filepath.Join(home, "recalls")))
	write(t, home, "settings.json", `{"keep_questions": false}`)
	run(t, root, environment, "search", "zebra crossing")
	if entries, err := os.ReadDir(filepath.Join(home, "recalls")); err == nil {
		t.Errorf("with keep_questions off there are %v", entries)
	}
}
