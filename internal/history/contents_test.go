package history

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/internal/document"
	"github.com/compound-docs/compound-docs/test/gitrepo"
)

// A document that is only moved keeps the commit that last changed it.
func TestTouched(t *testing.T) {
	t.Parallel()
	repo := newRepository(t)
	repo.Put("docs/a.md", "A\n")
	repo.Put("docs/b.md", "B\n")
	commit(repo, "2020-01-01T12:00:00Z")
	first := head(t, repo)
	repo.Put("docs/b.md", "B changed\n")
	repo.Rename("docs/a.md", "docs/moved.md")
	commit(repo, "2021-01-01T12:00:00Z")
	second := head(t, repo)
	repo.Put("src/c.go", "C\n")
	commit(repo, "2022-01-01T12:00:00Z")
	folder := open(t, repo.Path("docs"))
	got, err := folder.Touched(t.Context(), head(t, repo))
	want := map[string][]Version{"moved.md": {{first, "a.md"}}, "b.md": {{second, "b.md"}, {first, "b.md"}}}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("commits (-want +got), %v:\n%s", err, diff)
	}
}

func TestContents(t *testing.T) {
	t.Parallel()
	repo := newRepository(t)
	repo.Put("src/a.go", "A\n")
	repo.Put("src/empty.go", "")
	repo.Put("src/large.go", strings.Repeat("a long line of text\n", 300_000))
	commit(repo, "2020-01-01T12:00:00Z")
	first := head(t, repo)
	repo.Put("src/a.go", "A changed\n")
	commit(repo, "2021-01-01T12:00:00Z")
	versions := []Version{
		{first, "a.go"},
		{head(t, repo), "a.go"},
		{first, "gone.go"},
		{first, "of\nlines.go"},
		{first, "a.go blob 2"},
		{first, "."},
		{first, "large.go"},
		{first, "empty.go"},
	}
	want := []Content{
		{Exists: true, Text: []byte("A\n")},
		{Exists: true, Text: []byte("A changed\n")},
		{},
		{},
		{},
		{Folder: true},
		{Exists: true, TooLarge: true},
		{Exists: true, Text: []byte{}},
	}
	for range maxBatch { // more than one run of git is asked for
		versions = append(versions, Version{first, "a.go"})
		want = append(want, Content{Exists: true, Text: []byte("A\n")})
	}
	var got []Content
	err := open(t, repo.Path("src")).Contents(t.Context(), versions, func(i int, content Content) {
		if i != len(got) {
			t.Errorf("content %d comes after %d others", i, len(got))
		}
		got = append(got, content)
	})
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("contents (-want +got), %v:\n%s", err, diff)
	}
}

func open(t *testing.T, dir string) Folder {
	t.Helper()
	folder, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return folder
}

func head(t *testing.T, repo *gitrepo.Repo) string {
	t.Helper()
	commit, err := open(t, repo.Root).Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return commit
}

// Git compares removed files with added ones, which takes time with their product. Beyond maxRenames it finds
// those with the same bytes or the same name.
func TestRenamed_IsBounded(t *testing.T) {
	t.Parallel()
	repo := newRepository(t)
	text := func(i int) string { return strings.Repeat(fmt.Sprintf("line of %d\n", i), 10) }
	const files = maxRenames + 3
	for i := range files {
		repo.Put(fmt.Sprintf("src/%d.go", i), text(i))
	}
	commit(repo, "2020-01-01T12:00:00Z")
	first := head(t, repo)
	for i := range files {
		repo.Remove(fmt.Sprintf("src/%d.go", i))
		switch i {
		case 7:
			repo.Put("src/new/to7.go", text(i))
		case 8:
			repo.Put("src/new/8.go", text(i)+"another\n")
		default:
			repo.Put(fmt.Sprintf("src/new/to%d.go", i), text(i)+"another\n")
		}
	}
	commit(repo, "2021-01-01T12:00:00Z")
	repo.Git("config", "diff.renameLimit", "0") // a repository's own settings lift no limit
	got, err := open(t, repo.Path("src")).Renamed(t.Context(), first, head(t, repo))
	if diff := cmp.Diff(map[string]string{"7.go": "new/to7.go", "8.go": "new/8.go"}, got); err != nil || diff != "" {
		t.Errorf("renamed (-want +got), %v:\n%s", err, diff)
	}
}

// A file that is gone may have been moved if git takes too long to say so.
func TestPlaceChecker_SlowRenamesAreUnknown(t *testing.T) {
	t.Parallel()
	repo := newRepository(t)
	repo.Put("docs/a.md", "cites src/a.go\n")
	repo.Put("src/a.go", "one\n")
	commit(repo, "2020-01-01T12:00:00Z")
	cited := head(t, repo)
	repo.Remove("src/a.go")
	commit(repo, "2021-01-01T12:00:00Z")
	checker := NewPlaceChecker(repo.Root)
	for _, want := range []State{Gone, Unknown} {
		found, err := checker.Check(t.Context(), []CitingDocument{{Path: "docs/a.md", Places: []document.Place{{Path: "src/a.go"}}}})
		if err != nil || len(found) != 1 || found[0].State != want {
			t.Errorf("it finds %v, %v; want state %d", found, err, want)
		}
		checker.renamed[cited] = nil
	}
}
