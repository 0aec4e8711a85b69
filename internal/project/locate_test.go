package project_test

import (
	"path/filepath"
	"testing"

	"github.com/compound-docs/compound-docs/internal/project"
)

func TestSameRepository(t *testing.T) {
	t.Parallel()
	root, other := newGit(t), newGit(t)
	linked := filepath.Join(t.TempDir(), "linked")
	git(t, root, "worktree", "add", "-b", "other", linked)
	for folder, want := range map[string]bool{root: true, linked: true, other: false, t.TempDir(): false} {
		if got := project.SameRepository(root, folder); got != want {
			t.Errorf("%s is in the same repository: %t, want %t", folder, got, want)
		}
	}
}
