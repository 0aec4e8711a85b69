package main_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/test/fakeollama"
	"github.com/compound-docs/compound-docs/test/indexstate"
	"github.com/compound-docs/compound-docs/test/ragtest"
)

// A file is edited while no server runs, and keeps its size and modification time.
func TestServe_FindsAnOfflineEditThatKeepsSizeAndTime(t *testing.T) {
	t.Parallel()
	root := newProject(t, map[string]string{
		".csharp-compounding-docs/config.json": `{"project_name": "test-project", "external_docs": {"path": "./docs"}}`,
		"docs/a.md":                            "# A\n\nIt says one.\n",
	})
	ollama := "CDOCS_OLLAMA_HOST=" + fakeollama.Start(t).URL()
	edited, fresh := ragtest.IndexURL(t), ragtest.IndexURL(t)
	syncWhole(t, root, "CDOCS_DATABASE_URL="+edited, ollama)

	file := filepath.Join(root, "docs", "a.md")
	before, err := os.Stat(file)
	must(t, err)
	write(t, root, "docs/a.md", "# A\n\nIt says two.\n")
	must(t, os.Chtimes(file, before.ModTime(), before.ModTime()))
	syncWhole(t, root, "CDOCS_DATABASE_URL="+edited, ollama)
	syncWhole(t, root, "CDOCS_DATABASE_URL="+fresh, ollama)
	if diff := cmp.Diff(snapshot(t, indexstate.OpenPool(t, fresh)), snapshot(t, indexstate.OpenPool(t, edited))); diff != "" {
		t.Errorf("the index after the edit (-new +old):\n%s", diff)
	}
}
