package gitlog

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/test/gitrepo"
)

func TestChanged(t *testing.T) {
	t.Parallel()
	repo := newRepository(t)
	for _, name := range []string{"src/a.go", "src/deep/b.go", "src/old.go", "moved.go"} {
		repo.Put(name, "first of "+name+"\n")
	}
	commit(repo, "2020-01-01T12:00:00Z")
	repo.Put("src/deep/b.go", "second\n")
	repo.Remove("src/old.go")
	repo.Rename("moved.go", "cmd/moved.go")
	commit(repo, "2021-02-03T12:00:00Z")

	folder, err := Open(repo.Root)
	if err != nil {
		t.Fatal(err)
	}
	got, err := folder.Changed(t.Context(), "HEAD", "2019-01-01")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]Change{
		"src/a.go": {Date: "2020-01-01"}, "src/deep/b.go": {Date: "2021-02-03"}, "src/deep": {Date: "2021-02-03"},
		"src": {Date: "2021-02-03"}, "src/old.go": {Date: "2021-02-03", Gone: true}, "cmd": {Date: "2021-02-03"},
		"cmd/moved.go": {Date: "2021-02-03"}, "moved.go": {Date: "2021-02-03", Gone: true, MovedTo: "cmd/moved.go"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got, err := folder.Changed(t.Context(), "HEAD", "2098-01-01"); err != nil || len(got) > 0 {
		t.Errorf("since the future: %v, %v", got, err)
	}
}

func TestShallow(t *testing.T) {
	t.Parallel()
	repo := newRepository(t)
	for _, text := range []string{"one\n", "two\n"} {
		repo.Put("a.go", text)
		commit(repo, "2020-01-01")
	}
	clone := gitrepo.New(t)
	clone.Git("clone", "-q", "--depth", "1", "file://"+repo.Root, "clone")
	for dir, want := range map[string]bool{repo.Root: false, clone.Path("clone"): true} {
		folder, err := Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := folder.Shallow(t.Context()); err != nil || got != want {
			t.Errorf("%s is shallow: %v, %v; want %v", dir, got, err, want)
		}
	}
}
