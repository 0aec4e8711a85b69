package project_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/internal/project"
)

func TestLoad_FindsTheRepository(t *testing.T) {
	t.Parallel()
	root := newRepo(t, withConfig(`{"project_name": "a"}`))
	links := newRepo(t, nil)
	symlink(t, root, filepath.Join(links, "checkout"))
	symlink(t, filepath.Join(root, project.ConfigDir), filepath.Join(links, "settings"))
	tests := []struct{ name, given string }{
		{"file", filepath.Join(root, configPath)},
		{"folder", filepath.Join(root, project.ConfigDir)},
		{"folder with slash", filepath.Join(root, project.ConfigDir) + "/"},
		{"repository", root},
		{"unclean", root + "/x/../" + configPath},
		{"symlinked repository", filepath.Join(links, "checkout")},
		{"file in symlinked repository", filepath.Join(links, "checkout", configPath)},
		{"symlink to the folder", filepath.Join(links, "settings")},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := mustLoad(t, tt.given)
			got := []string{p.Root, p.ConfigPath, p.DocsDir()}
			want := []string{root, filepath.Join(root, configPath), "csharp-compounding-docs"}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestLoad_RefusesPath(t *testing.T) {
	t.Parallel()
	root := newRepo(t, map[string]string{
		"repo/main.go": "", "repo/config.json": "{}", "repo/.git/HEAD": "ref: refs/heads/main\n", "home/x": "",
		"made/" + configPath: "{}", "made/docs/a.md": "",
	})
	const create = " does not exist. Run `compound-docs init \"ROOT/repo\"`, or create the file with at least " +
		`{"project_name": "my-project"}.`
	tests := []struct{ name, given, want string }{
		{
			"folder of documents", "ROOT/made/docs",
			"ROOT/made/docs/.csharp-compounding-docs/config.json does not exist. " +
				"It lies in a project: give ROOT/made/.csharp-compounding-docs/config.json.",
		},
		{"repository without configuration", "ROOT/repo", "ROOT/repo/.csharp-compounding-docs/config.json" + create},
		{
			"no repository", "ROOT/home",
			"ROOT/home/.csharp-compounding-docs/config.json does not exist. " +
				"Name a repository by its absolute path; `compound-docs init DIR` prepares one.",
		},
		{"missing file", "ROOT/repo/.csharp-compounding-docs/config.json", "ROOT/repo/.csharp-compounding-docs/config.json" + create},
		{"missing folder", "ROOT/repo/.csharp-compounding-docs", "ROOT/repo/.csharp-compounding-docs/config.json" + create},
		{
			"no such repository", "ROOT/nowhere",
			"ROOT/nowhere does not exist. Give the absolute path of the repository or of its configuration, " +
				"for example /home/me/my-project/.csharp-compounding-docs/config.json.",
		},
		{
			"another file", "ROOT/repo/config.json",
			"ROOT/repo/config.json is not where a configuration must be. It is the file config.json in the folder " +
				".csharp-compounding-docs at the root of the repository, for example /home/me/my-project/.csharp-compounding-docs/config.json.",
		},
		{
			"relative", ".csharp-compounding-docs/config.json",
			`.csharp-compounding-docs/config.json: "config_path" is not an absolute path. Give the absolute path of the ` +
				"configuration, for example /home/me/my-project/.csharp-compounding-docs/config.json.",
		},
		{
			"empty", "",
			`: "config_path" is not an absolute path. Give the absolute path of the ` +
				"configuration, for example /home/me/my-project/.csharp-compounding-docs/config.json.",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := project.Load(strings.ReplaceAll(tt.given, "ROOT", root))
			if diff := cmp.Diff(tt.want, message(t, err, root)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestLoad_RefusesWhatIsNoPlainFile(t *testing.T) {
	t.Parallel()
	const config = `{"project_name": "a"}`
	outside := newRepo(t, map[string]string{"c.json": config})
	tests := []struct {
		name         string
		files        map[string]string
		link, target string // a symbolic link; "" for none
		want         string
	}{
		{"folder", map[string]string{configPath + "/": ""}, "", "", configPath + " is not a regular file. Put a file there in its place."},
		{
			"huge file", withConfig(config + strings.Repeat(" ", 1<<20)), "", "",
			configPath + " is larger than 1 MiB. Shorten it; such a file has a few kilobytes.",
		},
		{
			"link out of the repository", nil, configPath, filepath.Join(outside, "c.json"),
			configPath + " leads out of the repository. Keep it in the repository itself.",
		},
		{
			"documents linked out of the repository", withConfig(config), project.DocsFolder, outside,
			"csharp-compounding-docs leads out of the repository. Keep it in the repository itself.",
		},
		{
			"dangling link", nil, configPath, "nowhere.json",
			configPath + " is a link to a file that does not exist. Correct the link, or remove it.",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			root := newRepo(t, tt.files)
			if tt.link != "" {
				symlink(t, tt.target, filepath.Join(root, tt.link))
			}
			_, err := project.Load(root)
			if diff := cmp.Diff("ROOT/"+tt.want, message(t, err, root)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestProject_DocTypeOf(t *testing.T) {
	t.Parallel()
	p := mustLoad(t, newRepo(t, withConfig(
		`{"project_name": "a", "custom_doc_types": [{"name": "adr", "folder": "./decisions/adr/"}]}`)))
	tests := []struct{ path, want string }{
		{"csharp-compounding-docs/problems/x.md", "problem"},
		{"./csharp-compounding-docs/insights/x.md", "insight"},
		{"csharp-compounding-docs/codebase/deep/er/x.md", "codebase"},
		{"csharp-compounding-docs/tools/x.md", "tool"},
		{"csharp-compounding-docs/styles/x.md", "style"},
		{"csharp-compounding-docs/decisions/adr/x.md", "adr"},
		{"csharp-compounding-docs/problems/../styles/x.md", "style"},
		{"csharp-compounding-docs/decisions/x.md", ""},
		{"csharp-compounding-docs/schemas/x.yaml", ""},
		{"csharp-compounding-docs/x.md", ""},
		{"csharp-compounding-docs/problems", ""},
		{"csharp-compounding-docs/problemsolving/x.md", ""},
		{"csharp-compounding-docs/problems/../../problems/x.md", ""},
		{"problems/x.md", ""},
		{"docs/csharp-compounding-docs/problems/x.md", ""},
		{"", ""},
	}
	for _, tt := range tests {
		t.Run(tt.path, func(t *testing.T) {
			t.Parallel()
			got, ok := p.DocTypeOf(tt.path)
			if got.Name != tt.want || ok != (tt.want != "") {
				t.Errorf("DocTypeOf = %q, %v; want %q", got.Name, ok, tt.want)
			}
		})
	}
}
