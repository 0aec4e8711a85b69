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
		name     string
		commands []string // of git, in the repository
		conflict string   // how a rebase that stops is done; "" for none
		folder   string   // to look from, made if it is missing
		headFile string   // in .git
		branch   string
	}{
		{name: "branch", headFile: "HEAD", branch: "main"},
		{name: "branch with slashes", commands: []string{"switch -q -c feature/new/thing"}, headFile: "HEAD", branch: "feature/new/thing"},
		{name: "folder below the top", folder: "docs", headFile: "HEAD", branch: "main"},
		{name: "a folder called .git in between", folder: "docs/.git", headFile: "HEAD", branch: "main"},
		{name: "packed refs", commands: []string{"tag -a -m release v1", "pack-refs --all --prune"}, headFile: "HEAD", branch: "main"},
		{name: "detached", commands: []string{"checkout -q --detach"}, headFile: "HEAD", branch: "HEAD"},
		{
			name: "worktree", commands: []string{"worktree add -q -b side trees/side"},
			folder: "trees/side", headFile: "worktrees/side/HEAD", branch: "side",
		},
		{
			name: "worktree with packed refs", commands: []string{"worktree add -q -b side tree", "pack-refs --all --prune"},
			folder: "tree", headFile: "worktrees/tree/HEAD", branch: "side",
		},
		{
			name: "submodule", commands: []string{"submodule --quiet add OTHER sub", "-C sub switch -q -c in-sub"},
			folder: "sub", headFile: "modules/sub/HEAD", branch: "in-sub",
		},
		{name: "rebase", conflict: "--merge", headFile: "HEAD", branch: "team/topic"},
		{name: "rebase by patches", conflict: "--apply", headFile: "HEAD", branch: "team/topic"},
		{name: "after a rebase", conflict: "--merge", commands: []string{"rebase --abort"}, headFile: "HEAD", branch: "team/topic"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			root, other := newGit(t), newGit(t)
			if tt.conflict != "" {
				conflict(t, root, tt.conflict)
			}
			for _, command := range tt.commands {
				git(t, root, strings.Fields(strings.ReplaceAll(command, "OTHER", other))...)
			}
			write(t, filepath.Join(root, tt.folder), "", true)
			got, err := project.Head(filepath.Join(root, strings.TrimSuffix(tt.folder, "/.git")))
			if err != nil {
				t.Fatal(err)
			}
			wantHead(t, got, project.GitHead{
				Branch: tt.branch, InRepository: true, HeadFile: filepath.Join(root, ".git", tt.headFile),
			})
			if _, err := os.Lstat(got.HeadFile); err != nil {
				t.Error(err)
			}
		})
	}
}

func wantHead(t *testing.T, got, want project.GitHead) {
	t.Helper()
	if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(project.GitHead{})); diff != "" {
		t.Error(diff)
	}
}

// What is checked out may have no commit yet, be another ref than a branch, or be no repository.
func TestHead_OfFiles(t *testing.T) {
	t.Parallel()
	for head, branch := range map[string]string{"ref: refs/heads/trunk\n": "trunk", "ref: refs/remotes/origin/main\n": "remotes/origin/main", "": ""} {
		files, want := map[string]string{}, project.GitHead{}
		if head != "" {
			files[".git/HEAD"] = head
		}
		root := newRepo(t, files)
		if head != "" {
			want = project.GitHead{Branch: branch, InRepository: true, HeadFile: filepath.Join(root, ".git", "HEAD")}
		}
		got, err := project.Head(root)
		if err != nil {
			t.Error(err)
		}
		wantHead(t, got, want)
	}
}

// Git says what is checked out if it keeps its refs in a reftable. A program stands for a git that is new enough.
func TestHead_AsksGitForReftables(t *testing.T) {
	for name, tt := range map[string]struct {
		program string // a shell script, "" for no git
		want    project.GitHead
		problem string
	}{
		"branch":   {`[ "$*" = "${*%symbolic-ref*}" ] || echo refs/heads/feature/x`, project.GitHead{Branch: "feature/x"}, ""},
		"detached": {`[ "$*" = "${*%rev-parse*}" ] && exit 1; echo ` + strings.Repeat("a1", 20), project.GitHead{Branch: "HEAD"}, ""},
		"outside":  {"echo refs/heads/../../x", project.GitHead{}, "it holds neither a branch nor a commit"},
		"old git":  {"echo unknown extension >&2; exit 128", project.GitHead{}, "git 2.45 or newer is needed: git rev-parse: exit status 128: unknown extension"},
		"no git":   {"", project.GitHead{}, "git 2.45 or newer is needed: there is no git history: git is not installed"},
	} {
		t.Run(name, func(t *testing.T) {
			programs := t.TempDir()
			if tt.program != "" {
				write(t, filepath.Join(programs, "git"), "#!/bin/sh\n"+tt.program+"\n", false)
				if err := os.Chmod(filepath.Join(programs, "git"), 0o700); err != nil {
					t.Fatal(err)
				}
			}
			t.Setenv("PATH", programs)
			root := newRepo(t, map[string]string{".git/HEAD": "ref: refs/heads/.invalid\n", ".git/reftable/tables.list": "a.ref\n"})
			got, err := project.Head(root)
			if tt.problem != "" {
				if err == nil || !strings.Contains(err.Error(), tt.problem) {
					t.Errorf("the error is %v", err)
				}
				return
			}
			if err != nil || got.Branch != tt.want.Branch || !got.InRepository {
				t.Fatalf("%+v, %v", got, err)
			}
			before := got.Stamp()
			write(t, filepath.Join(root, ".git/reftable/tables.list"), "a.ref\nb.ref\n", false) // git has made another table
			if got.Stamp() == before {
				t.Error("the stamp stays")
			}
		})
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
