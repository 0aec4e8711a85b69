package project_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/internal/project"
)

func TestBranches(t *testing.T) {
	t.Parallel()
	root := newGit(t)
	git(t, root, "branch", "packed/one")
	git(t, root, "tag", "v1")
	git(t, root, "pack-refs", "--all", "--prune")
	git(t, root, "branch", "loose/two")
	tree := filepath.Join(root, "tree")
	git(t, root, "worktree", "add", "-q", "-b", "side", tree)
	want := []string{"loose/two", "main", "packed/one", "side"}
	for _, dir := range []string{root, tree, filepath.Join(root, "docs")} {
		if diff := cmp.Diff(want, project.Branches(dir)); diff != "" {
			t.Errorf("%s: %s", dir, diff)
		}
	}
}

// Branches that cannot be read are left out of a message, the others are not.
func TestBranches_LeavesOutWhatCannotBeRead(t *testing.T) {
	t.Parallel()
	root := newGit(t)
	git(t, root, "branch", "other")
	write(t, filepath.Join(root, ".git", "packed-refs"), "", true)
	write(t, filepath.Join(root, ".git", "refs", "heads", "a..b"), "", false)
	if diff := cmp.Diff([]string{"main", "other"}, project.Branches(root)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{}, project.Branches(newRepo(t, nil))); diff != "" {
		t.Errorf("outside a repository: %s", diff)
	}
}

func TestBranches_AreBounded(t *testing.T) {
	t.Parallel()
	var packed strings.Builder
	packed.WriteString("# pack-refs with: peeled fully-peeled sorted\n")
	for i := range 5_000 {
		fmt.Fprintf(&packed, "%040x refs/heads/b%04d\n^%040x\n", i, i, i)
	}
	root := newRepo(t, map[string]string{".git/HEAD": "ref: refs/heads/b4999\n", ".git/packed-refs": packed.String()})
	got := project.Branches(root)
	if len(got) != 1_000 || got[0] != "b0000" {
		t.Errorf("%d branches, the first %q; want 1000 from b0000", len(got), got[0])
	}
}
