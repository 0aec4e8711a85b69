package project_test

import (
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/compound-docs/compound-docs/internal/project"
)

// nameSet has names of files and folders that are left out, and others that are documents. The second set was put
// aside while the rules were written.
type nameSet struct {
	files, folders, documents, plain []string
}

var nameSets = map[string]nameSet{
	"first": {
		files: []string{
			"template.md", "_template.md", "adr/0000-template.md", "Pool (conflicted copy).md", "x.sync-conflict-20240102-101112-ABCDEF.md",
			"Notes (Ann's conflicted copy 2024-01-02).md", "pool~.md", "adr-template.md",
		},
		folders: []string{"node_modules", "vendor", "venv", "_build", "dist", "target", "site-packages", "third_party"},
		documents: []string{
			"email-templates.md", "merge-conflicts.md", "template-engine.md", "0007-template-caching.md", "conflicted.md", "orig.md",
			"why-we-left-the-template.md", "copy.md",
		},
		plain: []string{"docs", "vendors", "targets", "building", "environment", "adr"},
	},
	"second": {
		files: []string{
			"TEMPLATE.md", "docs/rfcs/0000-template.md", "Plan (SFConflict ann@example.org 2024-01-02-10-11-12).md", "report_BACKUP_1234.md",
			"report_REMOTE_1234.md", "todo (conflicted copy 2023-11-02 101500).md", "rfc_template.mdx", "~$minutes.md",
			"List (Conflict).md", "adr-template-minimal.md",
		},
		folders: []string{"bower_components", "Pods", "__pycache__", "virtualenv", "_site", "jspm_packages", "Carthage", "web_modules"},
		documents: []string{
			"database-templates.md", "backup_1234.md", "remote-work.md", "sync-conflicts.md", "conflict-of-interest.md", "2024-01-02 Template review.md",
			"resolving a conflict (part 2).md", "issue-template-guide.md",
		},
		plain: []string{"distribution", "site", "pod", "components", "third-party-audit", "handbook"},
	},
}

func TestScope_KnowsNames(t *testing.T) {
	t.Parallel()
	for name, set := range nameSets {
		root := newRepo(t, map[string]string{configPath: `{"project_name": "a", "documents": {"folders": ["docs"], "lenient": true}}`})
		p := mustLoad(t, root)
		excluded := p.Excluded()
		wrong := 0
		check := func(name string, left, want bool) {
			if left != want {
				wrong++
				t.Logf("%s is left out: %v", name, left)
			}
		}
		for _, file := range slices.Concat(set.files, set.documents) {
			want := slices.Contains(set.files, file)
			check(file, !p.IsDocument("docs/"+file), want)
			check(file, !p.IsDocument("csharp-compounding-docs/"+file), want)
			if want != (project.LeftOut(file) != "") {
				t.Errorf("LeftOut(%s) = %q", file, project.LeftOut(file))
			}
		}
		for _, folder := range slices.Concat(set.folders, set.plain) {
			check(folder, excluded("docs/"+folder, true) != "", slices.Contains(set.folders, folder))
		}
		if wrong > 0 {
			t.Errorf("%s set: %d wrong", name, wrong)
		}
	}
}

// "." does not reach into other repositories, material for tests and themes of a site. An entry above them does.
func TestScope_OfTheWholeRepository(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"docs/guide/.git/HEAD": "", "docs/testdata/a.md": "", "docs/content/a.md": "", "docs/themes/a.md": "", "themes/a.md": "",
	}
	for folders, want := range map[string]string{
		`"."`: "docs/guide docs/testdata docs/themes", `".", "docs"`: "", `".", "docs/guide"`: "docs/testdata docs/themes", `"docs"`: "",
	} {
		files[configPath] = `{"project_name": "a", "documents": {"folders": [` + folders + `]}}`
		excluded := mustLoad(t, newRepo(t, files)).Excluded()
		var left []string
		for _, folder := range []string{".", "docs", "docs/content", "docs/guide", "docs/testdata", "docs/themes", "themes"} {
			if excluded(folder, true) != "" {
				left = append(left, folder)
			}
		}
		if got := strings.Join(left, " "); got != want {
			t.Errorf("%s leaves out %q, want %q", folders, got, want)
		}
	}
}

// A folder vendor among the project's own documents is theirs. Of external docs own patterns decide alone.
func TestScope_OfFoldersMadeElsewhere(t *testing.T) {
	t.Parallel()
	for config, want := range map[string]bool{
		`"documents": {"folders": ["."]}`:                                        true,
		`"external_docs": {"path": "ext"}`:                                       true,
		`"external_docs": {"path": "ext", "exclude_patterns": ["**/drafts/**"]}`: false,
	} {
		p := mustLoad(t, newRepo(t, map[string]string{
			configPath: `{"project_name": "a", ` + config + `}`, "ext/vendor/a.md": "", "csharp-compounding-docs/vendor/a.md": "",
		}))
		excluded, folder := p.Excluded(), "ext/vendor"
		if external, ok := p.External(); ok {
			excluded, folder = external.Excluded(), "vendor"
		} else if why := excluded("csharp-compounding-docs/vendor", true); why != "" {
			t.Errorf("vendor of the own documents is left out: %s", why)
		}
		if got := excluded(folder, true) != ""; got != want {
			t.Errorf("%s leaves out %s: %t, want %t", config, folder, got, want)
		}
	}
}

// ignoreCases are repositories with files of git's rules. Git itself says what is right.
var ignoreCases = map[string]map[string]string{
	"given": {
		".gitignore": "docs/_build/\ndocs/private/\nvenv/\n", "docs/guide.md": "", "docs/private/pay.md": "",
		"docs/deep/docs/private/a.md": "", "docs/private.md": "", "docs/venv/x.md": "", "venv": "",
	},
	"nested": {
		".gitignore": "*.draft.md\n!keep.draft.md\n", "docs/.gitignore": "/secret\n!a.draft.md\nlogs/**\n",
		"docs/a.draft.md": "", "docs/b.draft.md": "", "docs/keep.draft.md": "", "docs/secret/x.md": "", "docs/sub/secret/x.md": "",
		"docs/logs/deep/x.md": "", "docs/logs.md": "",
	},
	"negation below an ignored folder": {
		".gitignore":              "docs/internal/\n!docs/internal/public.md\ndocs/notes/*\n!docs/notes/public.md\n",
		"docs/internal/public.md": "", "docs/notes/public.md": "", "docs/notes/own.md": "", "docs/notes/deep/public.md": "",
	},
	"patterns": {
		".gitignore": "# comment\n\\#hash.md\n\\!bang.md\n**/tmp\nfoo/**/bar.md\n[ab]?.md\n{x,y}.md\nspace.md   \nend\\ \n" +
			"a/**\n/top.md\n*.lock.md\r\n[!c]z.md\nbroken[.md\n\n/\n!\n",
		"#hash.md": "", "!bang.md": "", "d/tmp/x.md": "", "tmp/y.md": "", "foo/bar.md": "", "foo/q/r/bar.md": "", "a1.md": "",
		"x.md": "", "{x,y}.md": "", "space.md": "", "end\x20": "", "a/deep/x.md": "", "top.md": "", "d/top.md": "", "p.lock.md": "",
		"cz.md": "", "dz.md": "", "broken[.md": "", "comment": "",
	},
	"everything but": {
		".gitignore": "*\n!*/\n!*.md\ndrafts\n", "a.md": "", "d/b.md": "", "d/c.txt": "", "d/drafts/x.md": "",
	},
	"exclude": {
		".git/info/exclude": "mine/\n*.own.md\n", "docs/.gitignore": "!b.own.md\n", "docs/mine/a.md": "", "docs/a.own.md": "", "docs/b.own.md": "",
	},
}

func TestScope_IgnoresAsGitDoes(t *testing.T) {
	t.Parallel()
	for name, files := range ignoreCases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := gitRepo(t)
			write(t, filepath.Join(root, configPath), `{"project_name": "a", "documents": {"folders": ["."]}}`, false)
			for file, text := range files {
				write(t, filepath.Join(root, file), text, false)
			}
			excluded := mustLoad(t, root).Excluded()
			ignored := 0
			for file := range files {
				if strings.HasPrefix(path.Base(file), ".git") || strings.HasPrefix(file, ".git/") {
					continue
				}
				command := exec.CommandContext(t.Context(), "git", "check-ignore", "-q", "--no-index", "--", file)
				command.Dir = root
				want := command.Run() == nil
				if want {
					ignored++
				}
				if got := leftOut(excluded, file) != ""; got != want {
					t.Errorf("%s is ignored: %v, git says %v", file, got, want)
				}
			}
			if ignored == 0 {
				t.Error("git ignores nothing here")
			}
		})
	}
}

// leftOut returns why a walk passes over a file or a folder above it.
func leftOut(excluded func(string, bool) string, file string) string {
	for i, c := range file {
		if c == '/' && excluded(file[:i], true) != "" {
			return excluded(file[:i], true)
		}
	}
	return excluded(file, false)
}

// The configuration wins over git, for exactly what it names.
func TestScope_ConfigurationNamesWhatGitIgnores(t *testing.T) {
	t.Parallel()
	for folders, want := range map[string]string{
		`"docs"`:                  "docs/a.md",
		`"docs/private"`:          "docs/private/pay.md docs/private/team/x.md",
		`"docs/private/team"`:     "docs/private/team/x.md",
		`"docs/private/pay.md"`:   "docs/private/pay.md",
		`"docs/*"`:                "docs/a.md",
		`"docs/{a,b}.md", "venv"`: "docs/a.md venv/x.md",
	} {
		root := gitRepo(t)
		write(t, filepath.Join(root, configPath), `{"project_name": "a", "documents": {"folders": [`+folders+`]}}`, false)
		write(t, filepath.Join(root, ".gitignore"), "private/\n/venv\nskip.md\ncsharp-compounding-docs\n", false)
		p := mustLoad(t, root)
		var got []string
		for _, file := range []string{"docs/a.md", "docs/private/pay.md", "docs/private/team/x.md", "docs/skip.md", "venv/x.md"} {
			if isDocument(p, file) {
				got = append(got, file)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s has %q, want %q", folders, got, want)
		}
		if file := "csharp-compounding-docs/problems/a.md"; !isDocument(p, file) {
			t.Errorf("%s, in the folder of new documents, is left out", file)
		}
	}
}

// A repository around the project, such as one for the user's settings, may ignore it as a whole.
func TestScope_RepositoryAround(t *testing.T) {
	t.Parallel()
	for rules, want := range map[string]string{"*\n": "", "project/docs/own/\n": "git ignores it", "docs/own\n": "", "own\n": "git ignores it"} {
		top := gitRepo(t)
		root := filepath.Join(top, "project")
		write(t, filepath.Join(root, configPath), `{"project_name": "a", "documents": {"folders": ["docs"]}}`, false)
		write(t, filepath.Join(top, ".gitignore"), rules, false)
		if got := mustLoad(t, root).Excluded()("docs/own", true); got != want {
			t.Errorf("%q: %q, want %q", rules, got, want)
		}
	}
}

func gitRepo(t *testing.T) string {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	git(t, root, "init", "-q")
	return root
}
