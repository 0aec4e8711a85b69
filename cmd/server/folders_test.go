package main_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/test/indexstate"
)

// paths asks a search tool for everything, and returns the files that it finds.
func (w *window) paths(t *testing.T, tool string) (paths []string) {
	t.Helper()
	var answer searchAnswer
	if call(t, w.session, tool, map[string]any{"query": "text", "limit": 100, "min_relevance_score": 0}, &answer) {
		t.Fatalf("%s: %+v", tool, answer.toolError)
	}
	for _, result := range answer.Results {
		paths = append(paths, result.Path)
	}
	slices.Sort(paths)
	return paths
}

// A docs folder may be a symbolic link to where the external docs are. Its files are
// found as its documents only.
func TestServe_FindsAFileOnceOverLinks(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		external string
		others   []string
	}{
		"a link into the external docs": {"docs", []string{"./docs/manual/b.md"}},
		"a link to the external docs":   {"docs/own", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			environment, _ := services(t)
			root := newProject(t, map[string]string{
				configPath:            `{"project_name": "test-project", "external_docs": {"path": "./` + test.external + `"}}`,
				"docs/own/tools/a.md": document("A", "Text."), "docs/manual/b.md": "# B\n\nText.\n",
			})
			if err := os.Symlink("docs/own", filepath.Join(root, "csharp-compounding-docs")); err != nil {
				t.Fatal(err)
			}
			w := openWindow(t, environment...)
			w.activate(t, root)
			if diff := cmp.Diff([]string{"./csharp-compounding-docs/tools/a.md"}, w.paths(t, "semantic_search")); diff != "" {
				t.Errorf("documents (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.others, w.paths(t, "search_external_docs")); diff != "" {
				t.Errorf("external docs (-want +got):\n%s", diff)
			}
		})
	}
}

// Outside git only the last activation knows the branch of a folder.
func TestSyncAgain_KeepsTheBranchOutsideGit(t *testing.T) {
	t.Parallel()
	environment, _ := services(t)
	root := newProject(t, map[string]string{"csharp-compounding-docs/tools/a.md": document("A", "Text.")})
	w := openWindow(t, environment...)
	var answer struct {
		toolError
		Branch string `json:"branch_name"`
	}
	arguments := activation(root)
	arguments["branch_name"] = "master"
	if call(t, w.session, "activate_project", arguments, &answer) {
		t.Fatalf("activate_project: %+v", answer)
	}
	if got := mustRun(t, root, environment, "sync", "--force").stdout; !strings.HasPrefix(got, "test-project on branch master: 1 document") {
		t.Errorf("sync --force prints %q, want branch master", got)
	}
	next := openWindow(t, append(environment, "CLAUDE_PROJECT_DIR="+root)...)
	if diff := cmp.Diff([]string{"./csharp-compounding-docs/tools/a.md"}, next.paths(t, "semantic_search")); diff != "" {
		t.Errorf("documents (-want +got):\n%s", diff)
	}
	databaseURL := strings.TrimPrefix(environment[0], "CDOCS_DATABASE_URL=")
	if n := count(t, indexstate.OpenPool(t, databaseURL), "SELECT count(*) FROM tenants WHERE branch_name <> 'master'"); n > 0 {
		t.Errorf("%d other branches are indexed", n)
	}
}

// A search that comes while git changes files waits for it, and then finds them.
func TestServe_FirstCallWaitsForGit(t *testing.T) {
	t.Parallel()
	environment, _ := services(t)
	root := newProject(t, map[string]string{
		".git/HEAD": "ref: refs/heads/main\n", ".git/refs/heads/main": strings.Repeat("a", 40), ".git/index.lock": "",
		"csharp-compounding-docs/tools/a.md": document("A", "Text."),
	})
	time.AfterFunc(time.Second, func() {
		if err := os.Remove(filepath.Join(root, ".git", "index.lock")); err != nil {
			t.Error(err)
		}
	})
	w := openWindow(t, append(environment, "CLAUDE_PROJECT_DIR="+root)...)
	if diff := cmp.Diff([]string{"./csharp-compounding-docs/tools/a.md"}, w.paths(t, "semantic_search")); diff != "" {
		t.Errorf("documents (-want +got):\n%s", diff)
	}
}
