package scaffold

import (
	"os"
	"path/filepath"
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
	tests := []struct {
		name  string
		files []string
		want  string
		count int
	}{
		{"none", []string{"README.md", "docs/picture.png"}, "", 0},
		{"docs", []string{"docs/a.md", "docs/deep/b.md", "docs/.git/c.md", "docs/node_modules/d.md"}, "./docs", 2},
		{"solutions alone", []string{"docs/solutions/x/a.md"}, "./docs/solutions", 1},
		{"decisions alone", []string{"docs/adr/0001.md", "docs/adr/0002.md"}, "./docs/adr", 2},
		{"solutions and decisions", []string{"docs/solutions/a.md", "docs/adr/b.md"}, "./docs", 2},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			result, err := Write(repository(t, test.files...))
			if err != nil {
				t.Fatal(err)
			}
			var got string
			if external, ok := result.Project.External(); ok {
				got = external.Path
			}
			if got != test.want || result.Documents != test.count {
				t.Errorf("found %q with %d files, want %q with %d", got, result.Documents, test.want, test.count)
			}
		})
	}
}

func TestWrite_KeepsWhatIsThere(t *testing.T) {
	t.Parallel()
	root := repository(t, "docs/a.md")
	first, err := Write(root)
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
	second, err := Write(root)
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
		_, err := Write(root)
		entries, readErr := os.ReadDir(elsewhere)
		if err == nil || readErr != nil || len(entries) > 0 {
			t.Errorf("%s leads out of the repository: error %v, and there are %v now", link, err, entries)
		}
	}
}
