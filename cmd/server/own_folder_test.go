package main_test

import (
	"path/filepath"
	"strings"
	"testing"
)

// Codex starts the server in the folder that it works in, and names no folder. That one is the
// project, if it or a folder above it has a configuration.
func TestServe_TakesItsOwnFolder(t *testing.T) {
	t.Parallel()
	environment, _ := services(t)
	root := newProject(t, map[string]string{
		"csharp-compounding-docs/tools/pears.md": document("Pears", "When is a pear ripe?"), "src/main.go": "package main\n",
	})
	for folder, want := range map[string]string{root: "", filepath.Join(root, "src"): "", t.TempDir(): "PROJECT_NOT_ACTIVATED"} {
		command := server(t, environment...)
		command.Dir = folder
		session := connect(t, command)
		var answer searchAnswer
		call(t, session, "semantic_search", map[string]any{"query": "ripe", "min_relevance_score": 0}, &answer)
		if err := session.Close(); err != nil {
			t.Error(err)
		}
		if answer.Code != want || want == "" && strings.Join(answer.titles(), " ") != "pears" {
			t.Errorf("started in %s the first search answers %+v, want code %q", folder, answer, want)
		}
	}
}
