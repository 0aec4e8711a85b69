package lint_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/test/gitrepo"
)

func TestRun_FindsTrackedDocumentsThatGitIgnores(t *testing.T) {
	t.Parallel()
	repo := gitrepo.New(t)
	repo.Git("init", "-q", "-b", "main")
	repo.Put(config, `{"project_name": "ignored", "documents": {"folders": ["docs", "docs/named"]}}`)
	repo.Put(".gitignore", "private/\nnamed/\ndraft.md\n")
	for _, name := range []string{"a.md", "draft.md", "private/b.md", "private/deep/c.md", "private/d.txt", "named/e.md"} {
		repo.Put("docs/"+name, "# A page\n\nText.\n")
	}
	repo.Git("add", "-f", "-A")
	repo.Git("commit", "-q", "-m", "work")
	repo.Put("docs/private/untracked.md", "# A page\n\nText.\n")
	var found []string
	for _, line := range check(t, repo.Root) {
		if before, _, is := strings.Cut(line, " left-out"); is {
			found = append(found, before)
		}
	}
	if diff := cmp.Diff([]string{"docs/draft.md:1: warning", "docs/private:1: warning"}, found); diff != "" {
		t.Error(diff)
	}
}
