package project_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/internal/project"
)

func TestStandingOf(t *testing.T) {
	t.Parallel()
	const name = "my-project"
	// newCheckout makes a repository of the project on main, with branches loose/one, packed/two,
	// side (checked out in the work tree "tree") and a deleted one.
	newCheckout := func(t *testing.T) string {
		t.Helper()
		root := newGit(t)
		write(t, filepath.Join(root, filepath.FromSlash(configPath)), `{"project_name": "my-project"}`, false)
		git(t, root, "add", "-A")
		commit(t, root, "config")
		for _, branch := range []string{"packed/two", "gone", "gone-packed"} {
			git(t, root, "branch", branch)
		}
		git(t, root, "pack-refs", "--all", "--prune")
		git(t, root, "branch", "loose/one")
		git(t, root, "worktree", "add", "-q", "-b", "side", filepath.Join(root, "tree"))
		git(t, root, "branch", "-D", "gone", "gone-packed")
		git(t, root, "branch", "gone") // as a file now
		git(t, root, "branch", "-D", "gone")
		return root
	}
	replaceConfig := func(content string) func(t *testing.T, root string) string {
		return func(t *testing.T, root string) string {
			t.Helper()
			write(t, filepath.Join(root, filepath.FromSlash(configPath)), content, false)
			return root
		}
	}
	tests := []struct {
		name string
		// prepare changes the checkout, and returns the root to ask for.
		prepare func(t *testing.T, root string) string
		want    map[string]project.CheckoutState // by branch
	}{
		{
			name: "a repository",
			want: map[string]project.CheckoutState{
				"main": project.Here, "loose/one": project.Here, "packed/two": project.Here, "side": project.Here,
				"gone": project.BranchGone, "gone-packed": project.BranchGone, "loose": project.BranchGone,
				"loose/one/more": project.BranchGone, "HEAD": project.BranchGone, "": project.BranchGone, "../../HEAD": project.BranchGone,
			},
		},
		{
			name:    "a linked work tree",
			prepare: func(_ *testing.T, root string) string { return filepath.Join(root, "tree") },
			want: map[string]project.CheckoutState{
				"side": project.Here, "main": project.Here, "packed/two": project.Here, "gone": project.BranchGone,
			},
		},
		{
			name: "on no branch",
			prepare: func(t *testing.T, root string) string {
				t.Helper()
				git(t, root, "switch", "-q", "--detach")
				return root
			},
			want: map[string]project.CheckoutState{"HEAD": project.Here, "main": project.Here, "gone": project.BranchGone},
		},
		{
			name: "a branch without a commit",
			prepare: func(t *testing.T, root string) string {
				t.Helper()
				git(t, root, "symbolic-ref", "HEAD", "refs/heads/unborn")
				return root
			},
			want: map[string]project.CheckoutState{"unborn": project.Here, "gone": project.BranchGone},
		},
		{
			name: "no git", // its branch is whatever it was activated with
			prepare: func(t *testing.T, _ string) string {
				t.Helper()
				return newRepo(t, withConfig(`{"project_name": "my-project"}`))
			},
			want: map[string]project.CheckoutState{"main": project.Here, "other": project.Here},
		},
		{
			name: "refs that cannot be read",
			prepare: func(t *testing.T, root string) string {
				t.Helper()
				packed := filepath.Join(root, ".git", "packed-refs")
				if err := os.Remove(packed); err != nil {
					t.Fatal(err)
				}
				write(t, packed, "", true)
				return root
			},
			want: map[string]project.CheckoutState{"main": project.Here, "gone": project.Here},
		},
		{
			name: "a reftable",
			prepare: func(t *testing.T, root string) string {
				t.Helper()
				write(t, filepath.Join(root, ".git", "HEAD"), "ref: refs/heads/.invalid\n", false)
				return root
			},
			want: map[string]project.CheckoutState{"main": project.Here, "gone": project.Here},
		},
		{
			name: "nothing", want: map[string]project.CheckoutState{"main": project.NotHere, "gone": project.NotHere},
			prepare: func(_ *testing.T, root string) string { return filepath.Join(root, "elsewhere") },
		},
		{
			name: "a file", want: map[string]project.CheckoutState{"main": project.NotHere},
			prepare: func(_ *testing.T, root string) string { return filepath.Join(root, ".git", "HEAD") },
		},
		{
			name: "a path of another system", want: map[string]project.CheckoutState{"main": project.NotHere},
			prepare: func(*testing.T, string) string { return `C:\work\my-project` },
		},
		{
			name: "another project", want: map[string]project.CheckoutState{"main": project.Renamed, "gone": project.Renamed},
			prepare: replaceConfig(`{"project_name": "other-project"}`),
		},
		{
			name: "a broken config", want: map[string]project.CheckoutState{"main": project.Here, "gone": project.BranchGone},
			prepare: replaceConfig(`{"project_name": `),
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			root := newCheckout(t)
			if tt.prepare != nil {
				root = tt.prepare(t, root)
			}
			got := map[string]project.CheckoutState{}
			for branch := range tt.want {
				got[branch] = project.CheckoutStateOf(root, name, branch)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
