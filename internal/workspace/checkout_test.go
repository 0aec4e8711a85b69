package workspace_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/internal/workspace"
	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/rag/index"
	"github.com/compound-docs/compound-docs/test/gitrepo"
)

const configFile = ".csharp-compounding-docs/config.json"

func TestStateOf(t *testing.T) {
	t.Parallel()
	const name = "my-project"
	// newCheckout makes a repository of the project on main, with branches loose/one, packed/two,
	// side (checked out in the work tree "tree") and a deleted one.
	newCheckout := func(t *testing.T) *gitrepo.Repo {
		t.Helper()
		repo := gitrepo.New(t)
		repo.Git("init", "-q", "-b", "main")
		repo.Put(configFile, `{"project_name": "my-project"}`)
		repo.Commit()
		for _, branch := range []string{"packed/two", "gone", "gone-packed"} {
			repo.Git("branch", branch)
		}
		repo.Git("pack-refs", "--all", "--prune")
		repo.Git("branch", "loose/one")
		repo.Git("worktree", "add", "-q", "-b", "side", "tree")
		repo.Git("branch", "-D", "gone", "gone-packed")
		repo.Git("branch", "gone") // as a file now
		repo.Git("branch", "-D", "gone")
		return repo
	}
	replaceConfig := func(content string) func(repo *gitrepo.Repo) string {
		return func(repo *gitrepo.Repo) string {
			repo.Put(configFile, content)
			return repo.Root
		}
	}
	tests := []struct {
		name string
		// prepare changes the checkout, and returns the root to ask for.
		prepare func(repo *gitrepo.Repo) string
		want    map[string]index.CheckoutState // by branch
	}{
		{
			name: "a repository",
			want: map[string]index.CheckoutState{
				"main": index.Alive, "loose/one": index.Alive, "packed/two": index.Alive, "side": index.Alive,
				"gone": index.Gone, "gone-packed": index.Gone, "loose": index.Gone,
				"loose/one/more": index.Gone, "HEAD": index.Gone, "": index.Gone, "../../HEAD": index.Gone,
			},
		},
		{
			name:    "a linked work tree",
			prepare: func(repo *gitrepo.Repo) string { return repo.Path("tree") },
			want: map[string]index.CheckoutState{
				"side": index.Alive, "main": index.Alive, "packed/two": index.Alive, "gone": index.Gone,
			},
		},
		{
			name: "on no branch",
			prepare: func(repo *gitrepo.Repo) string {
				repo.Git("switch", "-q", "--detach")
				return repo.Root
			},
			want: map[string]index.CheckoutState{"HEAD": index.Alive, "main": index.Alive, "gone": index.Gone},
		},
		{
			name: "a branch without a commit",
			prepare: func(repo *gitrepo.Repo) string {
				repo.Git("symbolic-ref", "HEAD", "refs/heads/unborn")
				return repo.Root
			},
			want: map[string]index.CheckoutState{"unborn": index.Alive, "gone": index.Gone},
		},
		{
			name: "no git", // its branch is whatever it was activated with
			prepare: func(repo *gitrepo.Repo) string {
				repo.Remove(".git")
				return repo.Root
			},
			want: map[string]index.CheckoutState{"main": index.Alive, "other": index.Alive},
		},
		{
			name: "refs that cannot be read",
			prepare: func(repo *gitrepo.Repo) string {
				repo.Remove(".git/packed-refs")
				repo.Put(".git/packed-refs/file", "")
				return repo.Root
			},
			want: map[string]index.CheckoutState{"main": index.Alive, "gone": index.Alive},
		},
		{
			name: "a reftable",
			prepare: func(repo *gitrepo.Repo) string {
				repo.Put(".git/HEAD", "ref: refs/heads/.invalid\n")
				return repo.Root
			},
			want: map[string]index.CheckoutState{"main": index.Alive, "gone": index.Alive},
		},
		{
			name: "nothing", want: map[string]index.CheckoutState{"main": index.Unknown, "gone": index.Unknown},
			prepare: func(repo *gitrepo.Repo) string { return repo.Path("elsewhere") },
		},
		{
			name: "a file", want: map[string]index.CheckoutState{"main": index.Unknown},
			prepare: func(repo *gitrepo.Repo) string { return repo.Path(".git/HEAD") },
		},
		{
			name: "a path of another system", want: map[string]index.CheckoutState{"main": index.Unknown},
			prepare: func(*gitrepo.Repo) string { return `C:\work\my-project` },
		},
		{
			name: "another project", want: map[string]index.CheckoutState{"main": index.Unknown, "gone": index.Unknown},
			prepare: replaceConfig(`{"project_name": "other-project"}`),
		},
		{
			name: "a broken config", want: map[string]index.CheckoutState{"main": index.Alive, "gone": index.Gone},
			prepare: replaceConfig(`{"project_name": `),
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			repo := newCheckout(t)
			root := repo.Root
			if tt.prepare != nil {
				root = tt.prepare(repo)
			}
			got := map[string]index.CheckoutState{}
			for branch := range tt.want {
				got[branch] = workspace.StateOf(t.Context(), catalog.TenantKey{Project: name, Branch: branch}, root)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
