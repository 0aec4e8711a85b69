package scaffold

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestProjectName(t *testing.T) {
	t.Parallel()
	for folder, want := range map[string]string{
		"my-project": "my-project", "My Project_2": "my-project-2", "3d.engine": "project-3d-engine",
		"--x--": "x", "Büro": "b-ro", "日本": "my-project", "": "my-project",
	} {
		if got := ProjectName(folder); got != want {
			t.Errorf("%q becomes %q, want %q", folder, got, want)
		}
	}
}

// repository makes a folder with files, and returns its path without symbolic links.
func repository(t *testing.T, files ...string) string {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		name, text, ok := strings.Cut(name, ":")
		if !ok {
			text = "# Title\n"
		}
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// summary is the places of a result with their numbers of files, then what is left out.
func summary(r Result) string {
	var parts []string
	for _, place := range r.Places {
		parts = append(parts, fmt.Sprint(place.Place, " ", place.Files))
	}
	text := strings.Join(parts, ", ")
	for _, left := range r.LeftOut {
		text += " -" + left.Path
	}
	for _, place := range r.Further {
		text += " +" + place
	}
	return text
}

func TestWrite_FindsDocuments(t *testing.T) {
	t.Parallel()
	const usual = "csharp-compounding-docs"
	tests := []struct {
		name  string
		files []string
		want  string
	}{
		{"none", []string{"main.go", "docs/picture.png"}, ""},
		{"README alone", []string{"README.md", "main.go"}, ". 1"},
		{"other markup", []string{"README.md", "docs/a.rst", "docs/b.adoc", "docs/c.txt"}, ". 1 -docs/a.rst -docs/b.adoc -docs/c.txt"},
		{"boilerplate", []string{"README.md", "CHANGELOG.md", "AGENTS.md", "LICENSE.md"}, ". 1 -AGENTS.md -CHANGELOG.md -LICENSE.md"},
		{"boilerplate alone", []string{"CHANGELOG.md", "LICENSE.md"}, " -CHANGELOG.md -LICENSE.md"},
		{"instructions of a folder", []string{"api/AGENTS.md", "api/CLAUDE.md", "AGENTS.md"}, ". 2 -AGENTS.md"},
		{"docs", []string{"docs/a.md", "docs/deep/b.md", "docs/.hidden/c.md", "docs/node_modules/d.md", "main.go"}, ". 2 -docs/node_modules"},
		{"a vault", []string{".obsidian/app.json", "Ideas.md", "daily/today.md"}, ". 2"},
		{
			"a monorepo", []string{
				"packages/a/docs/adr/1.md", "packages/b/docs/x.md", "packages/a/README.md", "packages/b/README.md",
				"packages/a/src/a.ts", "node_modules/x/README.md", "README.md",
			}, ". 5 -node_modules",
		},
		{"Hugo", []string{"hugo.toml", "content/posts/a.md", "archetypes/default.md", "themes/x/README.md"}, ". 1 -archetypes -themes"},
		{"themes that are not Hugo's", []string{"docs/themes/dark.md"}, ". 1"},
		{
			"Docusaurus",
			[]string{"website/docs/a.md", "website/docs/b.mdx", "website/blog/c.md", "website/src/x.js", "website/versioned_docs/version-1.0/a.md"},
			". 3 -website/versioned_docs",
		},
		{"beside own documents", []string{usual + "/tools/a.md", "docs/b.md"}, ". 1, " + usual + " 1"},
		{"own documents alone", []string{usual + "/tools/a.md"}, usual + " 1"},
		{"solutions of a plugin", []string{"docs/solutions/a.md", "docs/b.md"}, ". 1, docs/solutions 1"},
		{"only solutions of a plugin", []string{"docs/solutions/a.md"}, "docs/solutions 1"},
		{"what git ignores", []string{
			"docs/a.md", "docs/private/b.md", "notes/c.md", "README.md", "README.local.md",
			".git/HEAD", ".gitignore:docs/private/\n/notes\n*.local.md\n",
		}, ". 2 -docs/private -notes"},
		{"material for tests", []string{"src/README.md", "src/a/README.md", "src/testdata/a.md"}, ". 2 -src/testdata"},
		{"another repository", []string{"README.md", "lib/.git/HEAD", "lib/README.md"}, ". 1 -lib"},
		{"a work tree", []string{"README.md", "feature/.git:gitdir: ../.git/worktrees/feature", "feature/README.md"}, ". 1 -feature"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			result, err := Write(repository(t, test.files...), nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, summary(result)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestWrite_TakesThePlacesItIsTold(t *testing.T) {
	t.Parallel()
	files := []string{"docs/adr/a.md", "docs/b.md", "README.md", "packages/x/NOTES.md", "packages/x/a.ts", "lib/.git/HEAD", "lib/c.md"}
	for name, test := range map[string]struct {
		told []string
		want string
	}{
		"a folder":         {[]string{"./docs/adr/"}, "docs/adr 1 -lib +*.md +docs +packages"},
		"several":          {[]string{"docs/adr", "README.md"}, "docs/adr 1, README.md 1 -lib +docs +packages"},
		"a pattern":        {[]string{"packages/*/*.md"}, "packages/*/*.md 1 -lib +*.md +docs"},
		"a repository":     {[]string{"lib"}, "lib 1 +*.md +docs +packages"},
		"everything":       {[]string{"."}, ". 4 -lib"},
		"the usual folder": {[]string{"csharp-compounding-docs"}, " -lib +*.md +docs +packages"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			result, err := Write(repository(t, files...), test.told, nil)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, summary(result)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestWrite_RefusesPlaces(t *testing.T) {
	t.Parallel()
	root := repository(t, "docs/a.md")
	if err := os.Symlink("docs", filepath.Join(root, "link")); err != nil {
		t.Fatal(err)
	}
	for place, want := range map[string]string{
		"..": "leads out", "/etc": "is an absolute path", ".git": "is hidden", "link": "is a symbolic link to docs", "a[": "is not a valid pattern",
		`docs\adr`: `has \ where / belongs`,
	} {
		if _, err := Write(root, []string{place}, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", place, err, want)
		}
	}
	if _, err := os.Stat(filepath.Join(root, ".csharp-compounding-docs")); err == nil {
		t.Error("something was written")
	}
}

// A configuration that is there keeps its text. Places that are named are added to it.
func TestWrite_KeepsAConfiguration(t *testing.T) {
	t.Parallel()
	const own = "{\n  \"project_name\": \"chosen\",\n  \"recall\": \"prompt\"\n}\n"
	root := repository(t, "docs/a.md", "notes/b.md")
	config := filepath.Join(root, ".csharp-compounding-docs", "config.json")
	if err := os.MkdirAll(filepath.Dir(config), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(config, []byte(own), 0o600); err != nil {
		t.Fatal(err)
	}
	steps := []struct {
		told          []string
		changed       bool
		summary, text string
	}{
		{nil, false, " +docs +notes", own},
		{
			[]string{"docs"},
			true, "docs 1 +notes",
			"{\n  \"project_name\": \"chosen\",\n  \"recall\": \"prompt\",\n  \"documents\": {\n    \"folders\": [\n      \"docs\"\n    ]\n  }\n}\n",
		},
		{[]string{"docs"}, false, "docs 1 +notes", ""},
		{[]string{"notes"}, true, "docs 1, notes 1", ""},
	}
	for _, step := range steps {
		result, err := Write(root, step.told, nil)
		if err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(config)
		if err != nil {
			t.Fatal(err)
		}
		if !result.Kept || result.Changed != step.changed || summary(result) != step.summary || step.text != "" && string(text) != step.text {
			t.Errorf("%v: kept %v, changed %v, %q, config %s", step.told, result.Kept, result.Changed, summary(result), text)
		}
	}
}

func TestWrite_StaysInTheRepository(t *testing.T) {
	t.Parallel()
	for _, link := range []string{".csharp-compounding-docs", "csharp-compounding-docs"} {
		root, elsewhere := repository(t), t.TempDir()
		if err := os.Symlink(elsewhere, filepath.Join(root, link)); err != nil {
			t.Fatal(err)
		}
		_, err := Write(root, []string{"csharp-compounding-docs"}, nil)
		entries, readErr := os.ReadDir(elsewhere)
		if err == nil || readErr != nil || len(entries) > 0 {
			t.Errorf("%s leads out of the repository: error %v, and there are %v now", link, err, entries)
		}
	}
}
