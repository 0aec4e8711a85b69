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

// found searches a project that another server may have indexed by its vectors, when
// there are all.
func found(t *testing.T, root string, environment []string, query string) (paths []string, failed toolError) {
	t.Helper()
	session := connect(t, server(t, append(environment, "CLAUDE_PROJECT_DIR="+root)...))
	w := &window{session: session}
	until(t, "everything is embedded", patience, func() bool {
		index := w.index(t)
		return index == nil || index.Pending+index.Embedding == 0
	})
	result := struct {
		toolError
		Results []struct {
			Path string `json:"path"`
		} `json:"results"`
	}{}
	call(t, session, "semantic_search", map[string]any{"query": query, "mode": "vector", "min_relevance_score": 0}, &result)
	for _, r := range result.Results {
		paths = append(paths, r.Path)
	}
	if err := session.Close(); err != nil {
		t.Error(err)
	}
	return paths, result.toolError
}

// sync --force embeds only passages without a vector of the present model.
func TestSyncAgain_AfterTheModelChanged(t *testing.T) {
	t.Parallel()
	environment, fake := services(t)
	root := newProject(t, map[string]string{
		".csharp-compounding-docs/config.json":       `{"project_name": "test-project", "external_docs": {"path": "./docs"}}`,
		"csharp-compounding-docs/problems/pool.md":   strings.ReplaceAll(problem, "%", "Connection pool exhausted"),
		"csharp-compounding-docs/problems/labels.md": strings.ReplaceAll(problem, "%", "Umlauts on labels"),
		"csharp-compounding-docs/problems/bad.md":    "No front matter.\n",
		"docs/setup.md": "# Setup\n",
	})
	problems := filepath.Join(root, "csharp-compounding-docs", "problems")
	for _, again := range []struct {
		dir       string
		arguments []string
		digest    string
		embedded  int
	}{
		{problems, []string{"sync", "--force"}, "sha256:one", 5},
		{problems, []string{"sync", "--force"}, "sha256:another", 5},
		{t.TempDir(), []string{"sync", "--force", "--project", root}, "sha256:another", 0},
	} {
		fake.AddModel("mxbai-embed-large", again.digest)
		fake.Forget()
		o := mustRun(t, again.dir, environment, again.arguments...)
		const want = "test-project on branch main: 2 documents in the index\n" +
			"  ./csharp-compounding-docs/problems/bad.md: the front matter does not fit"
		if !strings.HasPrefix(o.stdout, want) {
			t.Errorf("it prints %q, want %q", o.stdout, want)
		}
		if texts := fake.Texts(); len(texts) != again.embedded {
			t.Errorf("with model %s %v embeds %q, want %d texts", again.digest, again.arguments, texts, again.embedded)
		}
		paths, failed := found(t, root, environment, "connection pool")
		all := []string{"./csharp-compounding-docs/problems/pool.md", "./csharp-compounding-docs/problems/labels.md"}
		if diff := cmp.Diff(all, paths); diff != "" {
			t.Errorf("search finds (-want +got):\n%s\n%+v", diff, failed)
		}
	}
}
