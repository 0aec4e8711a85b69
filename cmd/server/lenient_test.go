package main_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/test/gitrepo"
)

// solutions are documents as the compound-engineering plugin leaves them, and one that
// somebody wrote by hand, in a repository whose history begins with them.
func solutions(t *testing.T) *gitrepo.Repo {
	t.Helper()
	repo := gitrepo.New(t)
	solution, err := os.ReadFile("../../internal/workspace/testdata/solution.md")
	if err != nil {
		t.Fatal(err)
	}
	repo.Put("docs/solutions/database-issues/pool.md", string(solution))
	repo.Put("docs/solutions/conventions/names.md", "# Names of jobs\n\nA job is called like what it makes.\n")
	repo.Put("docs/plans/queue.md", "# A queue for jobs\n\nWhat we plan.\n")
	repo.Git("init", "-q", "-b", "main")
	repo.Git("add", "-A")
	repo.Git("commit", "-q", "-m", "work", "--date", "2024-05-06T12:00:00Z")
	return repo
}

// tracedGit puts a git on the PATH that records its calls. calls returns the calls since it was
// last called.
func tracedGit(t *testing.T) (path string, calls func() string) {
	t.Helper()
	program, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	trace := filepath.Join(folder, "trace")
	if err := os.WriteFile(filepath.Join(folder, "git"), []byte("#!/bin/sh\necho \"$*\" >>'"+trace+"'\nexec '"+program+"' \"$@\"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	return "PATH=" + folder + ":" + os.Getenv("PATH"), func() string {
		text, err := os.ReadFile(trace)
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		_ = os.Remove(trace) // it may not exist
		return string(text)
	}
}

// From init to promotion, on what the compound-engineering plugin has written.
func TestServe_TakesSolutionsAsItsOwn(t *testing.T) {
	t.Parallel()
	repo := solutions(t)
	environment, _ := services(t)
	path, gitCalls := tracedGit(t)
	said := mustRun(t, repo.Root, append(environment, "PATH="+t.TempDir(), "CLAUDE_CONFIG_DIR="+t.TempDir()), "init", "--yes").stdout
	if !strings.Contains(said, "2 markdown files in docs/solutions\n") || !strings.Contains(said, "1 markdown file in docs\n") {
		t.Errorf("init says %s", said)
	}
	first := connect(t, server(t, append(environment, path)...))
	activateWhole(t, first, repo.Root)
	if err := first.Close(); err != nil {
		t.Error(err)
	}
	if calls := gitCalls(); strings.Count(calls, " log ") != 1 {
		t.Errorf("git was asked for the history %d times, want once: %s", strings.Count(calls, " log "), calls)
	}
	w := openWindow(t, append(environment, path)...)
	w.activate(t, repo.Root)
	if calls := gitCalls(); calls != "" {
		t.Errorf("nothing has changed, and git is asked: %s", calls)
	}
	type result struct {
		Path, Title, Date string
		DocType           string `json:"doc_type"`
		Level             string `json:"promotion_level"`
	}
	search := func() []result {
		var answer struct {
			toolError
			Results []result `json:"results"`
		}
		if call(t, w.session, "semantic_search", map[string]any{"query": "jobs", "min_relevance_score": 0}, &answer) {
			t.Fatalf("semantic_search: %+v", answer.toolError)
		}
		slices.SortFunc(answer.Results, func(a, b result) int { return strings.Compare(a.Path, b.Path) })
		return answer.Results
	}
	want := []result{
		{"./docs/plans/queue.md", "A queue for jobs", "2024-05-06", "codebase", "standard"},
		{"./docs/solutions/conventions/names.md", "Names of jobs", "2024-05-06", "style", "standard"},
		{"./docs/solutions/database-issues/pool.md", "Jobs exhaust the connection pool", "2026-03-04", "problem", "standard"},
	}
	if diff := cmp.Diff(want, search()); diff != "" {
		t.Errorf("results (-want +got):\n%s", diff)
	}

	var indexed struct {
		toolError
		Warnings []string
	}
	if call(t, w.session, "index_document", map[string]any{"path": "database-issues/pool.md"}, &indexed) {
		t.Fatalf("index_document: %+v", indexed.toolError)
	}
	if len(indexed.Warnings) > 0 { // its fields are those of its profile
		t.Errorf("warnings: %q", indexed.Warnings)
	}

	before := repo.Read("docs/solutions/conventions/names.md")
	var promoted toolError
	arguments := map[string]any{"document_path": "docs/solutions/conventions/names.md", "promotion_level": "critical"}
	if call(t, w.session, "update_promotion_level", arguments, &promoted) {
		t.Fatalf("update_promotion_level: %+v", promoted)
	}
	if diff := cmp.Diff("---\npromotion_level: critical\n---\n\n"+before, repo.Read("docs/solutions/conventions/names.md")); diff != "" {
		t.Errorf("the promoted file (-want +got):\n%s", diff)
	}
	want[1].Level = "critical"
	if diff := cmp.Diff(want, search()); diff != "" {
		t.Errorf("results after the promotion (-want +got):\n%s", diff)
	}
}

// A config comes with a clone, and may name any folder.
func TestServe_RefusesDocumentsElsewhere(t *testing.T) {
	t.Parallel()
	environment, _ := services(t)
	outside := newProject(t, map[string]string{"secret.md": "# Secret\n"})
	for folder, want := range map[string]string{
		outside: "is an absolute path", "../x": "leads out of the repository", ".git": "is hidden", "linked": "leads out of the repository",
		"README.md": "is not a folder", ".": "is the repository itself",
	} {
		root := newProject(t, map[string]string{
			configPath: `{"project_name": "test-project", "documents": {"folder": "` + folder + `", "lenient": true}}`, "README.md": "# A\n",
		})
		if err := os.Symlink(outside, filepath.Join(root, "linked")); err != nil {
			t.Fatal(err)
		}
		var failed toolError
		if !call(t, openWindow(t, environment...).session, "activate_project", activation(root), &failed) || !strings.Contains(failed.Message, want) {
			t.Errorf("%s: %+v, want that it %s", folder, failed, want)
		}
	}
}
