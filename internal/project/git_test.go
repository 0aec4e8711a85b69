package project_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/compound-docs/compound-docs/internal/project"
)

// git runs the git command in dir, with only the configuration given here, and returns its output.
func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	out, err := gitTry(t, dir, args...)
	if err != nil {
		t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return out
}

func gitTry(t *testing.T, dir string, args ...string) (string, error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "git", append([]string{
		"-c", "user.name=T", "-c", "user.email=t@example.org", "-c", "protocol.file.allow=always", "-c", "commit.gpgsign=false",
	}, args...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull, "GIT_EDITOR=true")
	out, err := cmd.CombinedOutput()
	return strings.TrimSpace(string(out)), err
}

// newGit makes a repository with one commit on main.
func newGit(t *testing.T) string {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	root := newRepo(t, map[string]string{"docs/a.md": "one\n"})
	git(t, root, "init", "-q", "-b", "main")
	commit(t, root, "first")
	return root
}

func commit(t *testing.T, root, message string) {
	t.Helper()
	git(t, root, "add", "-A")
	git(t, root, "commit", "-q", "--allow-empty", "-m", message)
}

// conflict leaves the repository in the middle of a rebase of topic onto main.
func conflict(t *testing.T, root, backend string) {
	t.Helper()
	git(t, root, "switch", "-q", "-c", "team/topic")
	write(t, filepath.Join(root, "docs", "a.md"), "topic\n", false)
	commit(t, root, "topic")
	git(t, root, "switch", "-q", "main")
	write(t, filepath.Join(root, "docs", "a.md"), "main\n", false)
	commit(t, root, "main")
	git(t, root, "switch", "-q", "team/topic")
	if out, err := gitTry(t, root, "rebase", backend, "main"); err == nil {
		t.Fatalf("the rebase has no conflict: %s", out)
	}
}

// Each case makes a state with git.
func TestHead(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		// make changes the repository at root and returns the folder to look from and where its
		// HEAD is.
		make         func(t *testing.T, root string) (dir, headFile string)
		wantBranch   string
		wantDetached bool
	}{
		{"branch", func(t *testing.T, root string) (string, string) {
			t.Helper()
			return root, ".git/HEAD"
		}, "main", false},
		{"branch with slashes", func(t *testing.T, root string) (string, string) {
			t.Helper()
			git(t, root, "switch", "-q", "-c", "feature/new/thing")
			return root, ".git/HEAD"
		}, "feature/new/thing", false},
		{"folder below the top", func(t *testing.T, root string) (string, string) {
			t.Helper()
			return filepath.Join(root, "docs"), ".git/HEAD"
		}, "main", false},
		{"packed refs", func(t *testing.T, root string) (string, string) {
			t.Helper()
			git(t, root, "tag", "-a", "-m", "v1", "v1")
			git(t, root, "pack-refs", "--all", "--prune")
			return root, ".git/HEAD"
		}, "main", false},
		{"detached", func(t *testing.T, root string) (string, string) {
			t.Helper()
			git(t, root, "checkout", "-q", "--detach")
			return root, ".git/HEAD"
		}, "HEAD", true},
		{"worktree", func(t *testing.T, root string) (string, string) {
			t.Helper()
			tree := filepath.Join(root, "trees", "side")
			git(t, root, "worktree", "add", "-q", "-b", "side", tree)
			write(t, filepath.Join(tree, "b.md"), "b", false)
			commit(t, tree, "side")
			return tree, ".git/worktrees/side/HEAD"
		}, "side", false},
		{"worktree with packed refs", func(t *testing.T, root string) (string, string) {
			t.Helper()
			tree := filepath.Join(root, "side")
			git(t, root, "worktree", "add", "-q", "-b", "side", tree)
			git(t, root, "pack-refs", "--all", "--prune")
			return tree, ".git/worktrees/side/HEAD"
		}, "side", false},
		{"submodule", func(t *testing.T, root string) (string, string) {
			t.Helper()
			git(t, root, "submodule", "--quiet", "add", newGit(t), "sub")
			git(t, filepath.Join(root, "sub"), "switch", "-q", "-c", "in-sub")
			return filepath.Join(root, "sub"), ".git/modules/sub/HEAD"
		}, "in-sub", false},
		{"rebase", func(t *testing.T, root string) (string, string) {
			t.Helper()
			conflict(t, root, "--merge")
			return root, ".git/HEAD"
		}, "team/topic", true},
		{"rebase by patches", func(t *testing.T, root string) (string, string) {
			t.Helper()
			conflict(t, root, "--apply")
			return root, ".git/HEAD"
		}, "team/topic", true},
		{"after a rebase", func(t *testing.T, root string) (string, string) {
			t.Helper()
			conflict(t, root, "--merge")
			git(t, root, "rebase", "--abort")
			return root, ".git/HEAD"
		}, "team/topic", false},
		{"a folder called .git in between", func(t *testing.T, root string) (string, string) {
			t.Helper()
			write(t, filepath.Join(root, "docs", ".git"), "", true)
			return filepath.Join(root, "docs"), ".git/HEAD"
		}, "main", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			root := newGit(t)
			dir, headFile := tt.make(t, root)
			got, err := project.Head(dir)
			if err != nil {
				t.Fatal(err)
			}
			want := project.GitHead{
				Branch: tt.wantBranch, Detached: tt.wantDetached,
				InRepository: true, HeadFile: filepath.Join(root, filepath.FromSlash(headFile)),
			}
			if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(project.GitHead{})); diff != "" {
				t.Error(diff)
			}
			if _, err := os.Lstat(got.HeadFile); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestHead_BeforeTheFirstCommit(t *testing.T) {
	t.Parallel()
	root := newRepo(t, nil)
	write(t, filepath.Join(root, ".git", "HEAD"), "ref: refs/heads/trunk\n", false)
	got, err := project.Head(root)
	if err != nil {
		t.Fatal(err)
	}
	want := project.GitHead{Branch: "trunk", InRepository: true, HeadFile: filepath.Join(root, ".git", "HEAD")}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(project.GitHead{})); diff != "" {
		t.Error(diff)
	}
}

func TestHead_OutsideARepository(t *testing.T) {
	t.Parallel()
	root := newRepo(t, nil)
	got, err := project.Head(root)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(project.GitHead{}, got, cmpopts.IgnoreUnexported(project.GitHead{})); diff != "" {
		t.Error(diff)
	}
}

// What is checked out may be another ref than a branch.
func TestHead_OnAnotherRef(t *testing.T) {
	t.Parallel()
	root := newRepo(t, map[string]string{".git/HEAD": "ref: refs/remotes/origin/main\n"})
	got, err := project.Head(root)
	if err != nil || got.Branch != "remotes/origin/main" {
		t.Errorf("Head() = %+v, %v, want the branch remotes/origin/main", got, err)
	}
}

func TestHead_Refuses(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		files map[string]string
		want  string
	}{
		{"nonsense", map[string]string{".git/HEAD": "hello"}, "read ROOT/.git/HEAD: it holds neither a branch nor a commit; git status says what is wrong with the repository"},
		{"upwards", map[string]string{".git/HEAD": "ref: refs/../../x"}, "read ROOT/.git/HEAD: it holds neither a branch nor a commit; git status says what is wrong with the repository"},
		{"huge", map[string]string{".git/HEAD": strings.Repeat("x", 10_000)}, "read git HEAD: the file has 10000 bytes, more than 8192"},
		{"folder", map[string]string{".git/HEAD/": ""}, "read git HEAD: not a regular file"},
		{
			"reftable",
			map[string]string{".git/HEAD": "ref: refs/heads/.invalid\n"},
			"read ROOT/.git/HEAD: the repository stores its refs as a reftable, which can't be read; " +
				"git refs migrate --ref-format=files stores them as files",
		},
		{"huge link", map[string]string{".git": "gitdir: " + strings.Repeat("x", 10_000)}, "read ROOT/.git: the file has 10008 bytes, more than 8192"},
		{"file that is no link", map[string]string{".git": "x"}, `read ROOT/.git: it is a file and does not begin with "gitdir:"; if no repository belongs to it: rm "ROOT/.git"`},
		{
			"link to nowhere",
			map[string]string{".git": "gitdir: gone"},
			"read ROOT/.git: it names a git folder that is not there: lstat ROOT/gone/HEAD: no such file or directory; " +
				`if the repository has moved, run in it: git worktree repair "ROOT"; if it is gone: rm "ROOT/.git" && git init "ROOT"`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			root := newRepo(t, tt.files)
			_, err := project.Head(root)
			if err == nil {
				t.Fatal("want an error")
			}
			if diff := cmp.Diff(tt.want, strings.ReplaceAll(err.Error(), root, "ROOT")); diff != "" {
				t.Error(diff)
			}
		})
	}
}
