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
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("# Title\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func TestWrite_FindsDocs(t *testing.T) {
	t.Parallel()
	const usual = "csharp-compounding-docs"
	tests := []struct {
		name, documents string
		files           []string
		// own and external are the folders, with numbers of files.
		own, external string
	}{
		{"none", "", []string{"README.md", "docs/picture.png"}, usual, ""},
		{"docs", "", []string{"docs/a.md", "docs/deep/b.md", "docs/.git/c.md", "docs/node_modules/d.md"}, usual, "./docs 2"},
		{"solutions alone", "", []string{"docs/solutions/x/a.md"}, "docs/solutions 1", ""},
		{"decisions alone", "", []string{"docs/adr/0001.md", "docs/adr/0002.md"}, usual, "./docs/adr 2"},
		{"solutions and decisions", "", []string{"docs/solutions/a.md", "docs/adr/b.md"}, "docs/solutions 1", "./docs/adr 1"},
		{"solutions and others", "", []string{"docs/solutions/a.md", "docs/adr/b.md", "docs/c.md"}, "docs/solutions 1", "./docs 2"},
		{"solutions beside documents", "", []string{usual + "/tools/a.md", "docs/solutions/b.md"}, usual, "./docs/solutions 1"},
		{"as told", "./docs/adr/", []string{"docs/adr/a.md", "docs/solutions/b.md"}, "docs/adr 1", "./docs/solutions 1"},
		{"all of docs", "docs", []string{"docs/adr/a.md", "docs/solutions/b.md"}, "docs 2", ""},
		{"a new folder", "knowledge/own", []string{"docs/a.md"}, "knowledge/own 0", "./docs 1"},
		{"the usual folder", usual, []string{"docs/solutions/a.md"}, usual, "./docs/solutions 1"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			root := repository(t, test.files...)
			result, err := Write(root, Options{Documents: test.documents})
			if err != nil {
				t.Fatal(err)
			}
			own, external := result.Project.DocsDir(), ""
			if result.Project.Lenient() {
				own = fmt.Sprint(own, " ", result.Documents)
			}
			if found, ok := result.Project.External(); ok {
				external = fmt.Sprint(found.Path, " ", result.External)
			}
			if own != test.own || external != test.external {
				t.Errorf("documents in %q and external docs in %q, want %q and %q", own, external, test.own, test.external)
			}
			if info, err := os.Stat(filepath.Join(root, result.Project.DocsDir())); err != nil || !info.IsDir() {
				t.Errorf("there is no folder for documents: %v", err)
			}
		})
	}
}

// docs/ is what a project without own documents knows. What lies elsewhere is counted alone, and can be
// taken as external docs.
func TestWrite_TakesDocsAsOwn(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		files []string
		asOwn bool
		loose int
		vault bool
	}{
		"docs":                {[]string{"docs/adr/a.md", "docs/b.md", "README.md"}, true, 0, false},
		"docs beside own":     {[]string{"docs/a.md", "csharp-compounding-docs/tools/b.md"}, false, 0, false},
		"docs and solutions":  {[]string{"docs/a.md", "docs/solutions/b.md"}, false, 0, false},
		"README alone":        {[]string{"README.md"}, false, 1, false},
		"an Obsidian vault":   {[]string{"daily/today.md", "Ideas.md", ".obsidian/app.md"}, false, 2, true},
		"nothing but sources": {[]string{"main.go"}, false, 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			root := repository(t, test.files...)
			result, err := Write(root, Options{})
			if err != nil {
				t.Fatal(err)
			}
			asOwn := result.Project.Config.ExternalAsOwn()
			if asOwn != test.asOwn || result.Loose != test.loose || result.Vault != test.vault {
				t.Errorf("docs as own %v, %d loose files, vault %v", asOwn, result.Loose, result.Vault)
			}
		})
	}
}

func TestWrite_RefusesDocuments(t *testing.T) {
	t.Parallel()
	root := repository(t)
	for _, folder := range []string{"..", "/etc", ".git", "."} {
		if _, err := Write(root, Options{Documents: folder}); err == nil {
			t.Errorf("%s is taken", folder)
		}
	}
	if entries, err := os.ReadDir(root); err != nil || len(entries) > 0 {
		t.Errorf("something was written: %v (%v)", entries, err)
	}
	if _, err := Write(root, Options{}); err != nil {
		t.Fatal(err)
	}
	_, err := Write(root, Options{Documents: "docs"})
	if err == nil || !strings.Contains(err.Error(), `"documents": {"folder": "docs", "lenient": true}`) {
		t.Errorf("a configuration with another folder: %v, want what to write into it", err)
	}
}

func TestWrite_KeepsWhatIsThere(t *testing.T) {
	t.Parallel()
	root := repository(t, "docs/a.md")
	first, err := Write(root, Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"csharp-compounding-docs/problems", "csharp-compounding-docs/insights", "csharp-compounding-docs/codebase",
		"csharp-compounding-docs/tools", "csharp-compounding-docs/styles",
	}
	if diff := cmp.Diff(want, first.Folders); diff != "" || first.Kept {
		t.Errorf("folders (-want +got):\n%s", diff)
	}
	config := filepath.Join(root, ".csharp-compounding-docs", "config.json")
	const own = `{"project_name": "chosen"}`
	if err := os.WriteFile(config, []byte(own), 0o600); err != nil {
		t.Fatal(err)
	}
	second, err := Write(root, Options{})
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(config)
	if err != nil {
		t.Fatal(err)
	}
	if !second.Kept || len(second.Folders) > 0 || string(text) != own || second.Project.Config.ProjectName != "chosen" {
		t.Errorf("a second run makes %+v, and the config is %s", second, text)
	}
}

func TestWrite_StaysInTheRepository(t *testing.T) {
	t.Parallel()
	for _, link := range []string{".csharp-compounding-docs", "csharp-compounding-docs"} {
		root, elsewhere := repository(t), t.TempDir()
		if err := os.Symlink(elsewhere, filepath.Join(root, link)); err != nil {
			t.Fatal(err)
		}
		_, err := Write(root, Options{})
		entries, readErr := os.ReadDir(elsewhere)
		if err == nil || readErr != nil || len(entries) > 0 {
			t.Errorf("%s leads out of the repository: error %v, and there are %v now", link, err, entries)
		}
	}
}
