package project_test

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/internal/project"
)

// A file is a document if the walk reaches its folder and the project takes it.
func isDocument(p *project.Project, name string) bool {
	excluded := p.Excluded()
	for dir := filepath.Dir(name); dir != "."; dir = filepath.Dir(dir) {
		if p.PruneDocuments(dir) {
			return false
		}
	}
	return p.IsDocument(name) && leftOut(excluded, name) == ""
}

func TestPlaces_SayWhatIsADocument(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		config      string
		takes, nots []string
	}{
		"folders": {
			`"folders": ["docs", "README.md"]`,
			[]string{"docs/a.md", "docs/deep/b.mdx", "README.md", "csharp-compounding-docs/tools/x.md"},
			[]string{"OTHER.md", "src/a.md", "docs/a.txt", "docs/node_modules/x.md", "docs/CHANGELOG.md", "csharp-compounding-docs/schemas/x.md", "documents/a.md"},
		},
		"patterns": {
			`"folders": ["packages/*/docs", "{apps,libs}/**/README.md", "*.md"]`,
			[]string{"packages/a/docs/x/y.md", "apps/web/README.md", "libs/a/b/README.md", "README.md"},
			[]string{"packages/docs/x.md", "packages/a/src/x.md", "apps/web/NOTES.md", "AGENTS.md", "apps/web/node_modules/y/README.md"},
		},
		"everything": {
			`"folders": ["."]`,
			[]string{"a.md", "Daily/2024-01-01.md", "csharp-compounding-docs/problems/x.md"},
			[]string{"vendor/x/README.md", "LICENSE.md", "deep/site-packages/z.md"},
		},
		"names win": {
			`"folders": ["CHANGELOG.md", "vendor/ours", "docs/vendor"]`,
			[]string{"CHANGELOG.md", "vendor/ours/a.md", "docs/vendor/stripe.md"},
			[]string{"vendor/theirs/a.md", "docs/a.md"},
		},
		"lenient": {`"folders": ["docs"], "lenient": true`, []string{"csharp-compounding-docs/schemas/x.md"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := mustLoad(t, newRepo(t, map[string]string{configPath: `{"project_name": "a", "documents": {` + test.config + `}}`}))
			if p.DocumentsRoot() != "." {
				t.Errorf("documents are in %s", p.DocumentsRoot())
			}
			for _, file := range slices.Concat(test.takes, test.nots) {
				if got, want := isDocument(p, file), slices.Contains(test.takes, file); got != want {
					t.Errorf("%s is a document: %v", file, got)
				}
			}
		})
	}
}

// Files of folders need no front matter. Those in the folder of new documents need it, unless the project is lenient.
func TestPlaces_AreLenient(t *testing.T) {
	t.Parallel()
	p := mustLoad(t, newRepo(t, map[string]string{configPath: `{"project_name": "a", "documents": {"folders": ["docs"]}}`}))
	for path, want := range map[string]string{
		"docs/adr/1.md": "codebase lenient docs", "docs/postmortems/1.md": "problem lenient docs",
		"csharp-compounding-docs/problems/1.md": "problem csharp-compounding-docs", "csharp-compounding-docs/loose.md": "",
	} {
		docType, ok := p.Rules(path)
		got := ""
		if ok {
			got = docType.Name + " "
			if docType.Lenient() {
				got += "lenient "
			}
			got += docType.Docs
		}
		if got != want {
			t.Errorf("%s is %q, want %q", path, got, want)
		}
	}
}

// A folder of external docs inside a place is reference material, and a place inside external docs is the project's.
func TestPlaces_BesideExternalDocs(t *testing.T) {
	t.Parallel()
	files := map[string]string{"docs/adr/a.md": "# A\n", "docs/adr/x/AGENTS.md": "# Rules\n", "docs/api/b.md": "# B\n"}
	load := func(config string) (*project.Project, error) {
		repo := map[string]string{configPath: config}
		maps.Copy(repo, files)
		return project.Load(newRepo(t, repo))
	}
	for config, want := range map[string]string{
		`{"project_name": "a", "documents": {"folders": ["."]}, "external_docs": {"path": "./docs/api"}}`:    "docs/adr/a.md docs/adr/x/AGENTS.md; docs/api/b.md",
		`{"project_name": "a", "documents": {"folders": ["docs/adr"]}, "external_docs": {"path": "./docs"}}`: "docs/adr/a.md docs/adr/x/AGENTS.md; docs/api/b.md",
		`{"project_name": "a", "documents": {"folders": ["docs/*dr"]}, "external_docs": {"path": "./docs"}}`: "docs/adr/a.md docs/adr/x/AGENTS.md; docs/api/b.md",
	} {
		p, err := load(config)
		if err != nil {
			t.Fatal(err)
		}
		external, _ := p.External()
		var own, others []string
		for _, name := range slices.Sorted(maps.Keys(files)) {
			if isDocument(p, name) {
				own = append(own, name)
			}
			if external.Has(name) {
				others = append(others, name)
			}
		}
		if diff := cmp.Diff(want, strings.Join(own, " ")+"; "+strings.Join(others, " ")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", config, diff)
		}
	}
	_, err := load(`{"project_name": "a", "documents": {"folders": ["docs"]}, "external_docs": {"path": "./docs"}}`)
	if err == nil || !strings.Contains(err.Error(), "which documents.folders has too") {
		t.Errorf("a folder that is both: %v", err)
	}
}

func TestLoad_RefusesPlaces(t *testing.T) {
	t.Parallel()
	for place, want := range map[string]string{
		"../x": "leads out of the repository", "/etc": "is an absolute path", ".git": "is hidden", "docs/.private/*": "is hidden",
		"linked": "is a symbolic link to docs", "a[": "is not a valid pattern", "{a/b,c}": "is not a valid pattern", `a\\b`: `has \ where / belongs`,
		"{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}": "has too many alternatives",
	} {
		root := newRepo(t, map[string]string{configPath: `{"project_name": "a", "documents": {"folders": ["` + place + `"]}}`, "docs/a.md": "# A\n"})
		symlink(t, "docs", filepath.Join(root, "linked"))
		_, err := project.Load(root)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "documents.folders[0]") {
			t.Errorf("%s: %v, want %q", place, err, want)
		}
	}
}

// The history of a large repository is read for these paths alone.
func TestProject_DocumentPaths(t *testing.T) {
	t.Parallel()
	for folders, want := range map[string]string{
		`["docs", "packages/*/docs", "README.md"]`: "csharp-compounding-docs docs packages README.md",
		`["*.md", "docs"]`:                         "",
		`["."]`:                                    "",
		`["*/docs"]`:                               "",
		`[]`:                                       "",
	} {
		p := mustLoad(t, newRepo(t, map[string]string{
			configPath: `{"project_name": "a", "documents": {"folders": ` + folders + `}}`, "README.md": "# A\n", "CHANGELOG.md": "# B\n", "docs/c.md": "# C\n",
		}))
		if got := strings.Join(p.DocumentPaths(), " "); got != want {
			t.Errorf("%s: %q, want %q", folders, got, want)
		}
	}
}
