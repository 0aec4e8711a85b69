package history_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/internal/document"
	"github.com/compound-docs/compound-docs/internal/history"
	"github.com/compound-docs/compound-docs/test/gitrepo"
)

// Only an edit of what a document says about a file, or of its date, confirms the places in it.
func TestPlaceChecker_OtherEditsConfirmNothing(t *testing.T) {
	t.Parallel()
	repo := gitrepo.New(t)
	repo.Git("init", "-q", "-b", "main")
	text := "---\ntitle: Pools\ndate: 2026-01-02\nfiles_involved: [src/a.go, src/b.go]\n---\n\nTeh text, as `src/c.go` has it.\n"
	write := func(name, text string) {
		repo.Put(name, text)
		repo.Commit()
	}
	for _, name := range []string{"a", "b", "c"} {
		repo.Put("src/"+name+".go", "package "+name+"\n")
	}
	write("docs/old.md", text)
	repo.Rename("docs/old.md", "docs/pools.md")
	repo.Commit()
	for _, name := range []string{"a", "b", "c"} {
		write("src/"+name+".go", "package "+name+" // changed\n")
	}
	places := []document.Place{{Path: "src/a.go"}, {Path: "src/b.go"}, {Path: "src/c.go"}}
	for _, step := range []struct {
		what, from, to string
		want           []string
	}{
		{"nothing", "", "", []string{"a", "b", "c"}},
		{"a typo", "Teh", "The", []string{"a", "b", "c"}},
		{"a title", "Pools", "The pools", []string{"a", "b", "c"}},
		{"one citation of a list", "[src/a.go", "[./src/a.go", []string{"b", "c"}},
		{"another file", "b.go]", "b.go, src/d.go]", []string{"b", "c"}},
		{"a sentence about the file", "has it.", "has it now.", []string{"b"}},
		{"the date", "2026-01-02", "2026-05-06", nil},
	} {
		text = strings.Replace(text, step.from, step.to, 1)
		repo.Put("docs/pools.md", text)
		for _, committed := range []bool{false, true} {
			if committed {
				repo.Commit()
			}
			documents := []history.CitingDocument{{Path: "docs/pools.md", Places: slices.Clone(places)}}
			found, err := history.NewPlaceChecker(repo.Root).Check(t.Context(), documents)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, f := range found {
				got = append(got, strings.TrimSuffix(strings.TrimPrefix(places[f.Place].Path, "src/"), ".go"))
			}
			if diff := cmp.Diff(step.want, got); diff != "" {
				t.Errorf("after an edit of %s (-want +got):\n%s", fmt.Sprint(step.what, ", committed: ", committed), diff)
			}
		}
	}
}
