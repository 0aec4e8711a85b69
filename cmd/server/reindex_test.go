package main_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const problem = `---
title: %
date: 2026-01-15
summary: %
significance: performance
problem_type: performance
symptoms: [slow]
root_cause: a cause
solution: a solution
---

% in a few words.
`

// found searches a project that another server may have indexed.
func found(t *testing.T, root string, environment []string, query string) (paths []string, failed toolError) {
	t.Helper()
	session := connect(t, server(t, append(environment, "CLAUDE_PROJECT_DIR="+root)...))
	result := struct {
		toolError
		Results []struct {
			Path string `json:"path"`
		} `json:"results"`
	}{}
	call(t, session, "semantic_search", map[string]any{"query": query, "min_relevance_score": 0}, &result)
	for _, r := range result.Results {
		paths = append(paths, r.Path)
	}
	if err := session.Close(); err != nil {
		t.Error(err)
	}
	return paths, result.toolError
}

func TestReindex_AfterTheModelChanged(t *testing.T) {
	t.Parallel()
	environment, fake := services(t)
	root := newProject(t, map[string]string{
		".csharp-compounding-docs/config.json":       `{"project_name": "test-project", "external_docs": {"path": "./docs"}}`,
		"csharp-compounding-docs/problems/pool.md":   strings.ReplaceAll(problem, "%", "Connection pool exhausted"),
		"csharp-compounding-docs/problems/labels.md": strings.ReplaceAll(problem, "%", "Umlauts on labels"),
		"csharp-compounding-docs/problems/bad.md":    "No front matter.\n",
		"docs/setup.md": "# Setup\n",
	})
	mustFind := func() {
		t.Helper()
		paths, failed := found(t, root, environment, "connection pool")
		want := []string{"./csharp-compounding-docs/problems/pool.md", "./csharp-compounding-docs/problems/labels.md"}
		if diff := cmp.Diff(want, paths); diff != "" {
			t.Fatalf("search finds (-want +got):\n%s\n%+v", diff, failed)
		}
	}
	mustFind()
	fake.AddModel("mxbai-embed-large", "sha256:another")
	_, failed := found(t, root, environment, "connection pool")
	if failed.Code != "EMBEDDING_SERVICE_ERROR" || !strings.Contains(failed.Message, "`compound-docs reindex` in the repository") {
		t.Fatalf("search with another model: %+v, want EMBEDDING_SERVICE_ERROR that names reindex", failed)
	}

	fake.Forget()
	o := mustRun(t, filepath.Join(root, "csharp-compounding-docs", "problems"), environment, "reindex")
	lines := strings.Split(o.stdout, "\n")
	want := []string{
		"reindexed test-project on branch main",
		"csharp-compounding-docs: 2 added, 0 updated, 0 removed, 0 unchanged, 1 failed",
		"docs: 1 added, 0 updated, 0 removed, 0 unchanged, 0 failed",
	}
	if diff := cmp.Diff(want, append(lines[:2:2], lines[3:len(lines)-1]...)); diff != "" {
		t.Errorf("stdout (-want +got):\n%s", diff)
	}
	if !strings.HasPrefix(lines[2], "  csharp-compounding-docs/problems/bad.md: the front matter does not fit") {
		t.Errorf("the failed document is told by %q", lines[2])
	}
	if got := len(fake.Texts()); got != 3 {
		t.Errorf("embedded %d texts again, want 3", got)
	}
	mustFind()

	// With the same model there is nothing to embed, by --project either.
	fake.Forget()
	mustRun(t, t.TempDir(), environment, "reindex", "--project", root)
	if diff := cmp.Diff([]string{}, fake.Texts()); diff != "" {
		t.Errorf("embedded again (-want +got):\n%s", diff)
	}
	mustFind()
}

func TestReindex_OutsideAProject(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	o := run(t, dir, away(), "reindex")
	if o.code != 1 || o.stdout != "" || !strings.Contains(o.stderr, "neither "+dir+" nor a folder above it has a .csharp-compounding-docs/config.json") {
		t.Errorf("it ends with %d, prints %q and says %q", o.code, o.stdout, o.stderr)
	}
}
