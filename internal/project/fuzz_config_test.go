package project_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/compound-docs/compound-docs/internal/project"
	"github.com/compound-docs/compound-docs/test/workbound"
)

// FuzzConfig loads a project with each config. One that is refused names the key or the
// line; one that is taken names nothing outside of the repository, and nothing of git's,
// although links lead to both.
func FuzzConfig(f *testing.F) {
	top := newRepo(f, map[string]string{
		"repo/docs/": "", "repo/.git/notes/": "", "repo/.git/s.json": `{"type": "object"}`, "repo/csharp-compounding-docs/problems/": "",
		"repo/csharp-compounding-docs/schemas/s.yaml": "required: [a]\n",
		"elsewhere/docs/": "", "elsewhere/s.json": `{"type": "object"}`,
	})
	root := filepath.Join(top, "repo")
	symlink(f, "../elsewhere", filepath.Join(root, "out"))
	symlink(f, "../.git", filepath.Join(root, "docs", "in"))
	symlink(f, "../.git", filepath.Join(root, "csharp-compounding-docs", "in"))
	for _, seed := range []string{
		`{"project_name": "a"}`,
		`{"project_name": "a", "retrieval": {"max_results": 1e2}, "external_docs": {"path": "docs"}}`,
		`{"project_name": "a", "external_docs": {"path": "out/docs", "include_patterns": ["**/*.{md,txt}", "[a-z]*"]}}`,
		`{"project_name": "a", "external_docs": {"path": "./docs/../docs/in/notes", "exclude_patterns": ["a/**"]}}`,
		`{"project_name": "a", "custom_doc_types": [{"name": "b", "folder": "c", "schema_file": "schemas/s.yaml"}]}`,
		`{"project_name": "a", "custom_doc_types": [{"name": "b", "folder": "in/c", "schema_file": "../out/s.json"}]}`,
		`{"project_name": "a", "documents": {"folder": "docs/in", "lenient": true}}`,
		`{"project_name": "a", "documents": {"folder": ".git/notes"}, "semantic_search": {"default_limit": 3}}`,
		`{"project_name": "a", "project_name": "b"}`, "{\n\"retrieval\": [],,}", `{"project_nam": "a"}`, "\ufeff{}", "[]", "",
	} {
		f.Add([]byte(seed))
	}
	if _, err := project.Load(newRepo(f, map[string]string{configPath: `{"project_name": "a"}`})); err != nil {
		f.Fatal(err) // the built-in schemas are compiled once, by the first
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		write(t, filepath.Join(root, filepath.FromSlash(configPath)), string(data), false)
		var (
			p   *project.Project
			err error
		)
		workbound.Check(t, len(data), 1000, func() { p, err = project.Load(root) })
		if err != nil {
			wantLocated(t, err, data)
			return
		}
		if p.Config.ProjectName == "" || p.Config.Retrieval.MaxResults < 1 || p.Config.Retrieval.MaxResults > 100 ||
			p.Config.LinkResolution.MaxDepth < 0 || p.Config.LinkResolution.MaxDepth > 10 {
			t.Errorf("accepted %+v", p.Config)
		}
		wantInside(t, root, filepath.Join(root, p.DocsDir()))
		for _, docType := range p.DocTypes() {
			wantInside(t, root, filepath.Join(root, p.DocsDir(), docType.Folder))
			if docType.Schema != "" {
				wantInside(t, root, filepath.Join(root, p.DocsDir(), docType.Schema))
			}
		}
		if external, ok := p.External(); ok {
			wantInside(t, root, external.Dir)
		}
	})
}

// wantLocated fails unless the error is complete, and names a line of the config, a key of
// it, or another file or folder.
func wantLocated(t *testing.T, err error, data []byte) {
	t.Helper()
	var refused *project.ConfigError
	if !errors.As(err, &refused) || refused.Path == "" || refused.Problem == "" || refused.Hint == "" {
		t.Fatalf("%#v is not a complete *ConfigError", err)
	}
	var object map[string]any
	isObject := json.Unmarshal(bytes.TrimPrefix(data, []byte("\ufeff")), &object) == nil && object != nil
	named := refused.Key != "" || filepath.Base(refused.Path) != project.ConfigFile ||
		strings.HasPrefix(refused.Problem, "line ")
	if isObject && !named && !strings.Contains(refused.Problem, "UTF-8") {
		t.Errorf("%v names neither key nor line nor file", err)
	}
}

// wantInside fails if a path, which may not exist, leads out of the repository or to git's folder.
func wantInside(t *testing.T, root, path string) {
	t.Helper()
	if resolved, err := filepath.EvalSymlinks(path); err == nil {
		path = resolved
	}
	rel, err := filepath.Rel(root, path)
	if err != nil || !filepath.IsLocal(rel) || rel == ".git" || strings.HasPrefix(rel, ".git/") {
		t.Errorf("the config leads to %s", path)
	}
}
