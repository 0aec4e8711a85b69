package project_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/internal/project"
)

// branchesOf returns those of the names that the repository has as branches.
func branchesOf(root string, names ...string) []string {
	has := []string{}
	for _, name := range names {
		if project.HasBranch(root, name) {
			has = append(has, name)
		}
	}
	return has
}

func TestHasBranch(t *testing.T) {
	t.Parallel()
	root := newGit(t)
	git(t, root, "branch", "packed/one")
	git(t, root, "tag", "v1")
	git(t, root, "pack-refs", "--all", "--prune")
	git(t, root, "branch", "loose/two")
	tree := filepath.Join(root, "tree")
	git(t, root, "worktree", "add", "-q", "-b", "side", tree)
	write(t, filepath.Join(root, ".git", "refs", "heads", "a..b"), "", false)
	want := []string{"loose/two", "main", "packed/one", "side"}
	for _, dir := range []string{root, tree, filepath.Join(root, "docs")} {
		got := branchesOf(dir, "loose/two", "main", "packed/one", "side", "v1", "loose", "packed/two", "a..b", "")
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", dir, diff)
		}
	}
}

func TestHasBranch_AmongMany(t *testing.T) {
	t.Parallel()
	var packed strings.Builder
	packed.WriteString("# pack-refs with: peeled fully-peeled sorted\n")
	for i := range 5_000 {
		fmt.Fprintf(&packed, "%040x refs/heads/b%04d\n^%040x\n", i, i, i)
	}
	root := newRepo(t, map[string]string{".git/HEAD": "ref: refs/heads/b4999\n", ".git/packed-refs": packed.String()})
	if diff := cmp.Diff([]string{"b0000", "b4999"}, branchesOf(root, "b0000", "b4999", "b5000")); diff != "" {
		t.Error(diff)
	}
}
