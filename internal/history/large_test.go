package history_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/internal/document"
	"github.com/compound-docs/compound-docs/internal/history"
	"github.com/compound-docs/compound-docs/test/gitrepo"
)

// A cited file that is too large to be compared is unknown, whatever became of it, and does
// not keep the checker from the places after it.
func TestPlaceChecker_LargeFilesAreUnknown(t *testing.T) {
	t.Parallel()
	repo := gitrepo.New(t)
	repo.Git("init", "-q", "-b", "main")
	large := strings.Repeat("a line of a large file\n", 17<<20/23+1)
	for _, name := range []string{"same.bin", "shrunk.bin", "gone.bin"} {
		repo.Put(name, large)
	}
	repo.Put("small.go", "one\ntwo\n")
	repo.Put("docs/a.md", "cites them\n")
	repo.Commit()
	repo.Put("shrunk.bin", "one line\n")
	repo.Remove("gone.bin")
	repo.Put("small.go", "one\nthree\n")
	found, err := history.NewPlaceChecker(repo.Root).Check(t.Context(), []history.CitingDocument{{
		Path: "docs/a.md", Places: []document.Place{{Path: "same.bin"}, {Path: "shrunk.bin"}, {Path: "gone.bin"}, {Path: "small.go"}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	want := []history.PlaceChange{
		{State: history.Unknown, Place: 0},
		{State: history.Unknown, Place: 1},
		{State: history.Gone, Place: 2},
		{State: history.Changed, Place: 3},
	}
	for i := range found {
		found[i].Now = document.Place{}
	}
	if diff := cmp.Diff(want, found); diff != "" {
		t.Errorf("findings (-want +got):\n%s", diff)
	}
}
