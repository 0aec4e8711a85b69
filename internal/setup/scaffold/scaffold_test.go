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
		text += " +" + place.Place
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
		{"README alone", []string{"README.md", "main.go"}, "*.md 1"},
		{"other markup", []string{"README.md", "docs/a.rst", "docs/b.adoc", "docs/c.txt"}, "*.md 1 -docs/a.rst -docs/b.adoc"},
		{"boilerplate", []string{"README.md", "CHANGELOG.md", "AGENTS.md", "LICENSE.md"}, "*.md 1 -AGENTS.md -CHANGELOG.md -LICENSE.md"},
		{"docs", []string{"docs/a.md", "docs/deep/b.md", "docs/.git/c.md", "docs/node_modules/d.md", "main.go"}, "docs 2 -docs/node_modules"},
		{"decisions", []string{"docs/adr/0001.md", "docs/adr/0002.md", "README.md", "go.mod"}, "*.md 1, docs 2"},
		{"deep decisions", []string{"server/architecture/decisions/1.md", "server/main.go", "server/a.go", "server/b.go"}, "server/architecture 1"},
		{"a vault", []string{".obsidian/app.json", "Ideas.md", "daily/today.md"}, ". 2"},
		{"a vault inside", []string{"vault/.obsidian/app.json", "vault/Ideas.md", "main.go"}, "vault 1"},
		{
			"a monorepo", []string{
				"packages/a/docs/adr/1.md", "packages/b/docs/x.md", "packages/a/README.md", "packages/b/README.md",
				"packages/a/index.ts", "packages/a/src/a.ts", "packages/a/src/b.ts", "packages/b/index.ts", "packages/b/src/a.ts",
				"packages/b/src/b.ts", "node_modules/x/README.md", "README.md",
			}, "*.md 1, packages/*/*.md 2, packages/*/docs 2 -node_modules",
		},
		{"Hugo", []string{"hugo.toml", "content/posts/a.md", "archetypes/default.md", "themes/x/README.md"}, "content 1 -archetypes -themes"},
		{
			"Docusaurus",
			[]string{"website/docs/a.md", "website/docs/b.mdx", "website/blog/c.md", "website/src/x.js", "website/src/y.js", "website/src/z.js", "website/src/w.js", "website/versioned_docs/version-1.0/a.md"},
			"website/blog 1, website/docs 2 -website/versioned_docs",
		},
		{"notes by their files", []string{"ops/a.md", "ops/b.md", "ops/c.sh", "src/main.go"}, "ops 2"},
		{"one file", []string{"src/parser/GRAMMAR.md", "src/parser/a.go"}, "src/parser/GRAMMAR.md 1"},
		{"beside own documents", []string{usual + "/tools/a.md", "docs/b.md"}, "docs 1, " + usual + " 1"},
		{"solutions of a plugin", []string{"docs/solutions/a.md", "docs/b.md"}, "docs 1, docs/solutions 1"},
		{"only solutions of a plugin", []string{"docs/solutions/a.md", "README.md"}, "*.md 1, docs/solutions 1"},
		{
			"a generated folder after notes",
			[]string{"app/a.md", "app/b.md", "app/dist/c.md", "app/x.ts", "app/y.ts", "app/z.ts"},
			"app/*.md 2 -app/dist",
		},
		{
			"decisions of a monorepo's parts", []string{
				"apps/web/docs/adr/0001-one.md", "apps/admin/docs/adr/0001-one.md", "apps/web/package.json", "apps/web/src/a.ts", "apps/admin/a.ts",
				"services/api/docs/adr/0001-one.md", "services/api/main.go", "libs/log/adr/0001-one.md", "libs/log/log.go", "libs/log/b.go", "libs/db/db.go", "libs/db/adr/0001-two.md",
			}, "apps/*/docs 2, libs/*/adr 2, services/api/docs 1",
		},
		{"one package", []string{"packages/core/docs/adr/0001-one.md", "packages/core/index.ts"}, "packages/core/docs 1"},
		{"a deep monorepo", []string{
			"src/services/a/docs/adr/1.md", "src/services/b/docs/adr/1.md", "src/services/a/a.go", "src/services/b/b.go", "src/services/a/x.go", "src/services/b/y.go", "src/services/b/z.go",
		}, "src/*/*/docs 2"},
		{"what git ignores", []string{
			"docs/a.md", "docs/private/b.md", "notes/c.md", "README.md", "README.local.md",
			".git/HEAD", ".gitignore:docs/private/\n/notes\n*.local.md\n",
		}, "*.md 1, docs 1 -docs/private -notes"},
		{"a repository of guides", []string{
			"README.md", "a/README.md", "b/README.md", "c/README.md", "d/README.md", "e/README.md", "f/README.md", "g/README.md", "h/README.md",
			"i/README.md", "LICENSE", "Gemfile", "logo.png",
		}, ". 10"},
		{"proposals with their data", []string{
			"keps/README.md", "keps/sig-a/1-x/README.md", "keps/sig-a/1-x/kep.yaml", "keps/sig-a/1-x/x.go", "keps/sig-b/2-y/README.md", "keps/sig-b/2-y/kep.yaml",
			"keps/sig-b/2-y/a/b.md", "keps/sig-b/2-y/z.go", "keps/sig-b/x.yaml", "keps/sig-c/3-z.md", "keps/a.yaml", "keps/b.yaml", "keps/c.yaml", "main.go",
		}, "keps 5"},
		{"a README in each part", []string{
			"api/README.md", "api/a.go", "api/b.go", "db/README.md", "db/a.go", "db/b.go", "web/README.md", "web/a.ts", "web/b.ts", "README.md",
		}, "*.md 1, */*.md 3"},
		{"places beside a generated folder", []string{
			"src/README.md", "src/a/README.md", "src/a/a.go", "src/b/c/README.md", "src/b/c/a.go", "src/testdata/a.md", "src/x.go", "src/y.go", "src/z.go",
		}, "src/README.md 1, src/a/README.md 1, src/b/c/README.md 1 -src/testdata"},
		{"another repository", []string{"README.md", "lib/.git/HEAD", "lib/README.md"}, "*.md 1 -lib"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			result, err := Write(repository(t, test.files...), Options{})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, summary(result)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if len(result.Folders) > 0 {
				t.Errorf("made %v, which nobody asked for", result.Folders)
			}
		})
	}
}

func TestWrite_TakesThePlacesItIsTold(t *testing.T) {
	t.Parallel()
	files := []string{"docs/adr/a.md", "docs/b.md", "README.md", "packages/x/NOTES.md", "packages/x/a.ts", "packages/x/b.ts"}
	for name, test := range map[string]struct {
		told []string
		want string
	}{
		"a folder":         {[]string{"./docs/adr/"}, "docs/adr 1 +*.md +docs +packages/x/NOTES.md"},
		"several":          {[]string{"docs/adr", "README.md"}, "docs/adr 1, README.md 1 +docs +packages/x/NOTES.md"},
		"a pattern":        {[]string{"packages/*/*.md"}, "packages/*/*.md 1 +*.md +docs"},
		"everything":       {[]string{"."}, ". 4"},
		"the usual folder": {[]string{"csharp-compounding-docs"}, " +*.md +docs +packages/x/NOTES.md"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			result, err := Write(repository(t, files...), Options{Documents: test.told})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, summary(result)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if want := name == "the usual folder"; want != (len(result.Folders) == 5) {
				t.Errorf("made %v", result.Folders)
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
		if _, err := Write(root, Options{Documents: []string{place}}); err == nil || !strings.Contains(err.Error(), want) {
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
		result, err := Write(root, Options{Documents: step.told})
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
		_, err := Write(root, Options{Documents: []string{"csharp-compounding-docs"}})
		entries, readErr := os.ReadDir(elsewhere)
		if err == nil || readErr != nil || len(entries) > 0 {
			t.Errorf("%s leads out of the repository: error %v, and there are %v now", link, err, entries)
		}
	}
}
