package lint_test

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/internal/lint"
	"github.com/compound-docs/compound-docs/internal/project"
)

// Fix writes where moved places are now, in the form in which the document has them, and
// leaves every other byte alone.
func TestFix_WritesWhereMovedPlacesAre(t *testing.T) {
	t.Parallel()
	repo := planted(t)
	repo.Put("src/pool.go", source(0, ""))
	repo.Put("src/old.go", source(0, "old"))
	before := insight("b", "files_involved:\n  - src/old.go:3\n", "At `src/pool.go:11-12`,\u00a0src/pool.go:20  and src/pool.go:2:\r\n"+
		"[here](../../src/pool.go#L5-L6), [there](../../src/old.go#L7), `src/pool.go#L9` and `line3` in `src/pool.go`.\nSee [a](a.md).")
	repo.Put(docs+"insights/b.md", before)
	commit(repo, "2026-02-02")
	repo.Put("src/pool.go", source(3, "changed"))
	repo.Rename("src/old.go", "lib/old.go")
	commit(repo, "2026-02-03")
	if err := os.Chmod(repo.Path(docs+"insights/b.md"), 0o640); err != nil {
		t.Fatal(err)
	}
	p, err := project.Load(repo.Root)
	if err != nil {
		t.Fatal(err)
	}
	fixed, err := lint.Fix(t.Context(), p)
	if diff := cmp.Diff(map[string]int{docs + "insights/b.md": 6}, fixed); err != nil || diff != "" {
		t.Errorf("fixed (-want +got), %v:\n%s", err, diff)
	}
	want := insight("b", "files_involved:\n  - lib/old.go:3\n", "At `src/pool.go:14-15`,\u00a0src/pool.go:20  and src/pool.go:5:\r\n"+
		"[here](../../src/pool.go#L8-L9), [there](../../lib/old.go#L7), `src/pool.go#L12` and `line3` in `src/pool.go`.\nSee [a](a.md).")
	if diff := cmp.Diff(want, repo.Read(docs+"insights/b.md")); diff != "" {
		t.Errorf("the document (-want +got):\n%s", diff)
	}
	if info, err := os.Stat(repo.Path(docs + "insights/b.md")); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("its mode is %v, %v", info.Mode(), err)
	}
	if fixed, err := lint.Fix(t.Context(), p); err != nil || len(fixed) > 0 {
		t.Errorf("a second time: %v, %v; want nothing", fixed, err)
	}
}
