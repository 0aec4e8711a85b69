package lint_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/test/gitrepo"
)

func TestRun_FindsOldDates(t *testing.T) {
	t.Parallel()
	repo := gitrepo.New(t)
	repo.Git("init", "-q", "-b", "main")
	repo.Put(config, `{"project_name": "dates", "documents": {"folders": ["docs"]}}`)
	document := func(date, text string) string {
		return "---\ntitle: t\ndate: " + date + "\n---\n# T\n\n" + text + "\n"
	}
	commit := func(date string) {
		repo.Git("add", "-A")
		repo.Git("commit", "-q", "-m", "work", "--date", date+"T12:00:00Z")
	}
	for _, name := range []string{"changed", "added", "fresh", "moved"} {
		repo.Put("docs/"+name+".md", document("2023-01-02", "the text of "+name))
	}
	commit("2024-06-01") // a repository may be imported long after
	repo.Put("docs/changed.md", document("2023-01-02", "another text"))
	repo.Put("docs/fresh.md", document("2024-01-03", "another text too"))
	repo.Rename("docs/moved.md", "docs/there.md")
	commit("2025-01-02")
	var found []string
	for _, line := range check(t, repo.Root) {
		if strings.Contains(line, "old-date") {
			found = append(found, line)
		}
	}
	want := []string{"docs/changed.md:3: notice old-date: its date is 2023-01-02, and it was last changed on 2025-01-02; " +
		"set `date` if what it says was changed"}
	if diff := cmp.Diff(want, found); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

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
