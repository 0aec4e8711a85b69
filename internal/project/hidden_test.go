package project_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/internal/project"
)

// Nothing hidden becomes external documentation, by whatever name it is reached.
func TestLoad_RefusesHiddenExternalDocs(t *testing.T) {
	t.Parallel()
	const git, hidden = "is one of git's own folders", "leads to a hidden folder"
	tests := []struct {
		path    string
		allowed []string // ROOT means the repository
		want    string   // "" if it is allowed
	}{
		{".git", nil, git},
		{"./docs/../.git/hooks", nil, git},
		{"ROOT/.git", []string{"ROOT"}, git},
		{"ROOT/.git", []string{"ROOT/.git"}, git},
		{"to-git", nil, git},
		{"to-git/hooks", nil, git},
		{"sub/.GIT/modules", nil, git},
		{"gitdata", nil, git},
		{"gitdata/hooks", nil, git},
		{".aws", nil, hidden},
		{"docs/.private/deep", nil, hidden},
		{"to-aws", nil, hidden},
		{"to-aws", []string{"ROOT/.aws"}, hidden},
		{"ROOT/.aws", nil, hidden},
		{"ROOT/.aws", []string{"ROOT"}, hidden},
		{"ROOT/.aws", []string{"ROOT/.aws"}, hidden},
		{"ROOT/to-aws", []string{"ROOT/.aws"}, hidden},
		{"docs", nil, ""},
	}
	for _, tt := range tests {
		t.Run(tt.path+" "+strings.Join(tt.allowed, " "), func(t *testing.T) {
			t.Parallel()
			root := newRepo(t, map[string]string{
				".git/HEAD": "ref: refs/heads/main\n", ".git/hooks/": "", "sub/.GIT/modules/": "", ".aws/": "", "docs/.private/deep/": "",
				"gitdata/HEAD": "ref: refs/heads/main\n", "gitdata/hooks/": "",
			})
			repository := root
			if strings.HasPrefix(tt.path, "gitdata") { // as git init --separate-git-dir leaves it
				write(t, filepath.Join(root, "checkout", ".git"), "gitdir: ../checkout/gitdata\n", false)
				repository = filepath.Join(root, "checkout")
				write(t, filepath.Join(repository, "gitdata", "HEAD"), "ref: refs/heads/main\n", false)
				write(t, filepath.Join(repository, "gitdata", "hooks"), "", true)
			}
			symlink(t, ".git", filepath.Join(root, "to-git"))
			symlink(t, ".aws", filepath.Join(root, "to-aws"))
			fill := func(path string) string { return strings.ReplaceAll(path, "ROOT", root) }
			write(t, filepath.Join(repository, configPath), externalConfig(fill(tt.path)), false)
			allowed := make([]string, len(tt.allowed))
			for i, folder := range tt.allowed {
				allowed[i] = fill(folder)
			}
			_, err := project.Load(repository, allowed...)
			if tt.want == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			if got := message(t, err, root); !strings.Contains(got, tt.want) || !strings.Contains(got, `"external_docs.path" is`) {
				t.Errorf("got %s, want that it %s", got, tt.want)
			}
		})
	}
}

// What is hidden above the folder that the user allows is the user's own choice; below it is not.
func TestLoad_HiddenExternalDocsOutside(t *testing.T) {
	t.Parallel()
	home := newRepo(t, map[string]string{".local/team/docs/": "", ".local/team/.secret/": "", ".local/team/.git/": "", ".aws/": ""})
	at := func(path string) string { return filepath.Join(home, path) }
	tests := []struct{ path, allowed, want string }{
		{".local/team", ".local/team", ""},
		{".local/team/docs", ".local/team", ""},
		{".aws", ".aws", ""},
		{".local/team/.secret", ".local/team", "outside the repository"},
		{".aws", ".", "outside the repository"},
		{".local/team/.git", ".local/team/.git", "git's own folders"},
	}
	for _, tt := range tests {
		t.Run(tt.path+" of "+tt.allowed, func(t *testing.T) {
			t.Parallel()
			root := newRepo(t, withConfig(externalConfig(at(tt.path))))
			p, err := project.Load(root, at(tt.allowed))
			if tt.want != "" {
				if got := message(t, err, root); !strings.Contains(got, tt.want) {
					t.Errorf("got %s, want %s", got, tt.want)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if external, _ := p.External(); external.Dir != at(tt.path) || external.Match(".git/a.md") || !external.Match("a.md") {
				t.Errorf("External() = %+v", external)
			}
		})
	}
}

// A repository whose own folder is below a hidden one is like any other.
func TestLoad_RepositoryBelowAHiddenFolder(t *testing.T) {
	t.Parallel()
	top := newRepo(t, map[string]string{".src/repo/docs/": "", ".src/repo/" + configPath: externalConfig("docs")})
	if external, ok := mustLoad(t, filepath.Join(top, ".src", "repo")).External(); !ok || external.RelDir != "docs" {
		t.Errorf("External() = %+v", external)
	}
}

// A link is no way around the rules for what a repository holds.
func TestLoad_RefusesLinksToHiddenFiles(t *testing.T) {
	t.Parallel()
	const custom = `{"project_name": "a", "custom_doc_types": [{"name": "adr", "folder": "adr", "schema_file": %s}]}`
	schema := func(path string) string { return strings.ReplaceAll(custom, "%s", `"`+path+`"`) }
	tests := []struct{ name, link, target, config, want string }{
		{"config", configPath, "../.env", "", "ROOT/" + configPath + " leads to a hidden file or folder. Keep it where it can be seen."},
		{"config in git", configPath, "../.git/config", "", "ROOT/" + configPath + " leads to a hidden file or folder. Keep it where it can be seen."},
		{"documents", "csharp-compounding-docs", ".git", `{"project_name": "a"}`, "ROOT/csharp-compounding-docs leads to a hidden file or folder."},
		{"documents in the folder of the config", "csharp-compounding-docs", ".csharp-compounding-docs", `{"project_name": "a"}`, "ROOT/csharp-compounding-docs leads to a hidden file or folder."},
		{"folder of a doc-type", "csharp-compounding-docs/adr", "../.git", strings.ReplaceAll(custom, `, "schema_file": %s`, ""), "which leads to a hidden file or folder"},
		{"schema", "csharp-compounding-docs/schemas/a.json", "../../.env", schema("schemas/a.json"), `is "schemas/a.json", which leads to a hidden file or folder`},
		{"schema by its path", "unused", "docs", schema("../.git/config"), `is "../.git/config", which leads to a hidden file or folder`},
		{"schema outside", "csharp-compounding-docs/schemas/a.json", "/etc/hostname", schema("schemas/a.json"), `which leads out of the repository`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			root := newRepo(t, map[string]string{".git/config": `{"project_name": "secret"}`, ".env": `{"project_name": "secret"}`})
			if tt.config != "" {
				write(t, filepath.Join(root, configPath), tt.config, false)
			}
			symlink(t, tt.target, filepath.Join(root, filepath.FromSlash(tt.link)))
			_, err := project.Load(root)
			if got := message(t, err, root); !strings.Contains(got, tt.want) {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

// Links inside the repository are followed, and the folder of the config may hold schemas.
func TestLoad_FollowsLinksInside(t *testing.T) {
	t.Parallel()
	root := newRepo(t, map[string]string{
		"settings/config.json": `{"project_name": "linked", "custom_doc_types": [
			{"name": "adr", "folder": "adr", "schema_file": "../` + project.ConfigDir + `/adr.yaml"}]}`,
		project.ConfigDir + "/adr.yaml": "required: [status]\n",
	})
	symlink(t, "../settings/config.json", filepath.Join(root, configPath))
	p := mustLoad(t, root)
	adr, _ := p.DocType("adr")
	violations := adr.Validate(map[string]any{"title": "A"})
	if diff := cmp.Diff([]string{"linked", "status"}, []string{p.Config.ProjectName, violations[0].Field}); diff != "" {
		t.Error(diff)
	}
}
