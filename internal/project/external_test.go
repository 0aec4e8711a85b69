package project_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/internal/project"
)

func externalConfig(path string) string {
	return fmt.Sprintf(`{"project_name": "a", "external_docs": {"path": %q}}`, path)
}

func TestProject_External(t *testing.T) {
	t.Parallel()
	outside := newRepo(t, map[string]string{"handbook/deep/": ""})
	handbook := filepath.Join(outside, "handbook")
	deep := filepath.Join(handbook, "deep")
	tests := []struct {
		name, path           string
		allowed              []string
		wantDir, wantRelPath string // ROOT means the repository
	}{
		{"relative", "./docs", nil, "ROOT/docs", "docs"},
		{"through a link inside", "linked", nil, "ROOT/docs", "docs"},
		{"the repository itself", ".", nil, "ROOT", "."},
		{"absolute inside", "ROOT/docs", nil, "ROOT/docs", "docs"},
		{"absolute and allowed", handbook, []string{"/nowhere", handbook}, handbook, ""},
		{"below an allowed folder", deep, []string{handbook}, deep, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			root := newRepo(t, map[string]string{"docs/": ""})
			symlink(t, "docs", filepath.Join(root, "linked"))
			path := strings.ReplaceAll(tt.path, "ROOT", root)
			write(t, filepath.Join(root, configPath), externalConfig(path), false)
			got, ok := mustLoad(t, root, tt.allowed...).External()
			want := [3]string{path, strings.ReplaceAll(tt.wantDir, "ROOT", root), tt.wantRelPath}
			if diff := cmp.Diff(want, [3]string{got.Path, got.Dir, got.RelDir}); diff != "" || !ok {
				t.Error(ok, diff)
			}
		})
	}
}

func TestLoad_RefusesExternalDocs(t *testing.T) {
	t.Parallel()
	outside := newRepo(t, map[string]string{"handbook/": ""})
	handbook := filepath.Join(outside, "handbook")
	leaves := func(path, dir string) string {
		return fmt.Sprintf(`"external_docs.path" is %q, which is outside the repository. Name a folder in the repository, `+
			`for example "path": "./docs". To use a folder outside it, write its absolute path here and allow it in your own `+
			`settings.json: "external_docs_allowed": [%q].`, path, dir)
	}
	tests := []struct {
		name, path string
		allowed    []string
		want       string
	}{
		{
			"missing", "./nope", nil, `"external_docs.path" names "./nope", which does not exist. Create the folder ROOT/nope, ` +
				`or name one that exists, for example "path": "./docs", or remove external_docs.`,
		},
		{
			"a file", "README.md", nil, `"external_docs.path" names "README.md", which is not a folder. Create the folder ROOT/README.md, ` +
				`or name one that exists, for example "path": "./docs", or remove external_docs.`,
		},
		{"absolute, not allowed", handbook, []string{"/srv"}, leaves(handbook, handbook)},
		{"beside an allowed folder", handbook, []string{handbook + "2", filepath.Join(handbook, "sub")}, leaves(handbook, handbook)},
		{"by a link that leaves", "escape", nil, leaves("escape", handbook)},
		{"by a link that leaves to an allowed folder", "escape", []string{handbook}, leaves("escape", handbook)},
		{"relative allowed entry", handbook, []string{"."}, leaves(handbook, handbook)},
		{
			"the project's own documents", "csharp-compounding-docs/problems", nil,
			`"external_docs.path" is "csharp-compounding-docs/problems", which holds the project's own documents. ` +
				`They are searched anyway; name another folder, for example "path": "./docs".`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			root := newRepo(t, map[string]string{
				configPath: externalConfig(tt.path), "README.md": "", "csharp-compounding-docs/problems/": "",
			})
			symlink(t, handbook, filepath.Join(root, "escape"))
			_, err := project.Load(root, tt.allowed...)
			if diff := cmp.Diff("ROOT/"+configPath+": "+tt.want, message(t, err, root)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestLoad_RefusesPatterns(t *testing.T) {
	t.Parallel()
	many := strings.Repeat("{a,b}", 20)
	tests := []struct{ name, key, pattern, want string }{
		{
			"open bracket", "include_patterns", "**/[a.md",
			`"external_docs.include_patterns[1]" is "**/[a.md", which is not a valid pattern. Check its brackets and braces; a correct one is "**/*.md".`,
		},
		{
			"too many alternatives", "exclude_patterns", many,
			`"external_docs.exclude_patterns[1]" is "` + many + `", which has too many alternatives. ` +
				`Split it into several patterns, each with few braces, for example "**/*.{md,markdown}".`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			root := newRepo(t, map[string]string{
				configPath: fmt.Sprintf(`{"project_name": "a", "external_docs": {"path": "docs", %q: ["ok", %q]}}`, tt.key, tt.pattern),
				"docs/":    "",
			})
			_, err := project.Load(root)
			if diff := cmp.Diff("ROOT/"+configPath+": "+tt.want, message(t, err, root)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestExternal_MatchAndPrune(t *testing.T) {
	t.Parallel()
	const defaults = `{"path": "."}`
	const own = `{"path": ".", "include_patterns": ["./guide/*.{md,markdown}", "README.md"], "exclude_patterns": ["**/draft-*", "guide/old/**"]}`
	tests := []struct {
		external, path string
		match, prune   bool
	}{
		{defaults, "README.md", true, false},
		{defaults, "a/b/c.md", true, false},
		{defaults, "./a/c.md", true, false},
		{defaults, "a/c.txt", false, false},
		{defaults, "node_modules/x/README.md", false, true},
		{defaults, "web/node_modules", false, true},
		{defaults, ".git/x.md", false, true},
		{defaults, "vendor/lib/.git", false, true},
		{defaults, "csharp-compounding-docs/problems/x.md", false, true},
		{defaults, "csharp-compounding-docs", false, true},
		{defaults, "csharp-compounding-docs-2/x.md", true, false},
		{defaults, ".", false, false},
		{own, "guide/a.md", true, false},
		{own, "guide/a.markdown", true, false},
		{own, "guide/draft-a.md", false, false},
		{own, "guide/deep/a.md", false, false},
		{own, "guide/old", false, true},
		{own, "README.md", true, false},
		{own, "node_modules", false, false},
	}
	for _, tt := range tests {
		t.Run(tt.path, func(t *testing.T) {
			t.Parallel()
			p := mustLoad(t, newRepo(t, withConfig(`{"project_name": "a", "external_docs": `+tt.external+`}`)))
			e, _ := p.External()
			if got := e.Match(tt.path); got != tt.match {
				t.Errorf("Match = %v, want %v", got, tt.match)
			}
			if got := e.Prune(tt.path); got != tt.prune {
				t.Errorf("Prune = %v, want %v", got, tt.prune)
			}
		})
	}
}
