package project_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/internal/project"
	"github.com/compound-docs/compound-docs/test/gitrepo"
)

// loadWith loads the project at root for a user with these sources.
func loadWith(root string, sources ...string) (*project.Project, error) {
	settings := project.DefaultSettings()
	settings.Sources = sources
	return settings.Load(root)
}

func sourceDirs(t *testing.T, root string, sources ...string) []string {
	t.Helper()
	p, err := loadWith(root, sources...)
	if err != nil {
		t.Fatal(err)
	}
	var dirs []string
	for _, source := range p.Sources() {
		dirs = append(dirs, source.Dir)
	}
	return dirs
}

// The folders of the assistants' own settings count. Claude Code has one memory for all work trees of a repository.
func TestSources_AreWhereAssistantsKeepThem(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home) // on Windows
	t.Setenv("CLAUDE_CONFIG_DIR", "")
	t.Setenv("CODEX_HOME", "")
	root := newRepo(t, map[string]string{configPath: `{"project_name": "a"}`, "packages/b_c/" + configPath: `{"project_name": "b"}`})
	repo := gitrepo.At(t, root)
	repo.Git("init", "-q")
	repo.Commit()
	repo.Git("worktree", "add", "-q", "-b", "side", "trees/side")
	flat := strings.NewReplacer("/", "-", `\`, "-", ":", "-", "_", "-", ".", "-").Replace(root)
	memory := filepath.Join(home, ".claude", "projects", flat, "memory")
	for _, folder := range []string{".", "packages/b_c", "trees/side"} {
		if diff := cmp.Diff([]string{memory}, sourceDirs(t, filepath.Join(root, folder), "claude")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", folder, diff)
		}
	}
	want := []string{filepath.Join(home, ".codex", "memories"), filepath.Join(home, "notes")}
	if diff := cmp.Diff(want, sourceDirs(t, root, "codex", filepath.Join(home, "notes")+"/")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	t.Setenv("CLAUDE_CONFIG_DIR", "/x")
	t.Setenv("CODEX_HOME", "/y")
	want = []string{filepath.Join("/x/projects", flat, "memory"), filepath.FromSlash("/y/memories")}
	if diff := cmp.Diff(want, sourceDirs(t, root, "claude", "codex")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A folder from an archive can name another repository as its own, and gets none of that one's memory.
func TestSources_HaveNoMemoryOfAnotherRepository(t *testing.T) {
	t.Setenv("CLAUDE_CONFIG_DIR", "/x")
	victim := newRepo(t, map[string]string{".git/HEAD": "ref: refs/heads/main\n", ".git/worktrees/w/HEAD": "ref: refs/heads/w\n"})
	write(t, filepath.Join(victim, ".git/worktrees/w/commondir"), "../..", false)
	write(t, filepath.Join(victim, ".git/worktrees/w/gitdir"), filepath.Join(victim, "elsewhere", ".git"), false)
	flat := strings.NewReplacer("/", "-", `\`, "-", ":", "-", "_", "-", ".", "-")
	for name, files := range map[string]map[string]string{
		"a git folder":     {".git": "gitdir: " + filepath.Join(victim, ".git")},
		"a work tree":      {".git": "gitdir: " + filepath.Join(victim, ".git", "worktrees", "w")},
		"a common folder":  {".git/HEAD": "ref: refs/heads/main\n", ".git/commondir": filepath.Join(victim, ".git")},
		"a folder as both": {".git": "gitdir: fake", "fake/HEAD": "ref: refs/heads/main\n", "fake/commondir": filepath.Join(victim, ".git"), "fake/gitdir": "../.git"},
	} {
		files[configPath] = `{"project_name": "a"}`
		root := newRepo(t, files)
		if diff := cmp.Diff([]string{filepath.Join("/x/projects", flat.Replace(root), "memory")}, sourceDirs(t, root, "claude")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestSettingsLoad_RefusesSourcesInEachOther(t *testing.T) {
	t.Parallel()
	notes := newRepo(t, map[string]string{"deep/": ""})
	root := newRepo(t, withConfig(`{"project_name": "a"}`))
	for _, sources := range [][]string{{notes, filepath.Join(notes, "deep")}, {filepath.Join(notes, "deep"), notes}, {notes, notes + "/"}} {
		_, err := loadWith(root, sources...)
		if _, ok := errors.AsType[*project.ConfigError](err); !ok || !strings.Contains(err.Error(), "Remove one of the two.") {
			t.Errorf("%v: %v", sources, err)
		}
	}
	if _, err := loadWith(root, notes, notes+"-other"); err != nil {
		t.Error(err)
	}
}

// A folder for all projects may have the repository in it, or be it: its own documents are no external docs too.
func TestSource_LeavesOutOwnDocuments(t *testing.T) {
	t.Parallel()
	root := newRepo(t, map[string]string{configPath: `{"project_name": "a", "documents": {"folders": ["docs"]}}`})
	for dir, prefix := range map[string]string{root: "", filepath.Dir(root): filepath.Base(root) + "/"} {
		p, err := loadWith(root, dir)
		if err != nil {
			t.Fatal(err)
		}
		for name, want := range map[string]bool{"docs/a.md": false, "csharp-compounding-docs/a.md": false, "other/a.md": true} {
			if got := p.Sources()[0].Match(prefix + name); got != want {
				t.Errorf("%s of %s is in the source: %t", name, dir, got)
			}
		}
	}
}
