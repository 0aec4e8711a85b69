package workspace_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/compound-docs/compound-docs/internal/project"
	"github.com/compound-docs/compound-docs/rag/index"
	"github.com/compound-docs/compound-docs/test/gitrepo"
)

// Two repositories have one project_name: a deletion is of this one, unless it names the
// other or all, and says which by path.
func TestDelete_TakesThisCheckoutOfSeveral(t *testing.T) {
	t.Parallel()
	here := setup(t, map[string]string{docs + "here.md": problem("Here", "Text of this.")})
	s := here.server(t)
	here.activate(t, s, "main")
	there := &fixture{Repo: gitrepo.New(t), databaseURL: here.databaseURL, pool: here.pool, fake: here.fake}
	there.Put(".csharp-compounding-docs/config.json", here.Read(".csharp-compounding-docs/config.json"))
	there.Put(docs+"there.md", problem("There", "Text of that."))
	active := there.activate(t, there.server(t), "main")
	theirs := active.Definition.Root
	hash := project.PathHash(theirs)
	for _, tt := range []struct {
		name         string
		selection    index.Selection
		says, silent []string
		documents    int
	}{
		{"none given", index.Selection{}, []string{"This is of " + here.Root, "It leaves " + theirs}, nil, 1},
		{"upper case", index.Selection{PathHash: new(strings.ToUpper(hash))}, []string{"This is of " + theirs}, []string{here.Root}, 1},
		{"all", index.Selection{PathHash: new("all")}, []string{"This is of ", here.Root, theirs}, []string{"leaves"}, 2},
		{"another branch", index.Selection{Branch: new("gone")}, []string{"no such checkout of test-project", theirs, here.Root, "branch main", hash}, nil, 0},
		{"another project", index.Selection{Project: "nosuch"}, []string{"no project nosuch; it has test-project."}, nil, 0},
	} {
		if tt.selection.Project == "" {
			tt.selection.Project = "test-project"
		}
		selection, message, err := s.Select(t.Context(), tt.selection)
		if err != nil {
			t.Fatal(err)
		}
		contents, err := s.Contents(t.Context(), selection)
		if err != nil || contents.Documents != tt.documents {
			t.Errorf("%s: %d documents (%v), want %d", tt.name, contents.Documents, err, tt.documents)
		}
		lacks := func(text string) bool { return !strings.Contains(message, text) }
		if slices.ContainsFunc(tt.says, lacks) || slices.ContainsFunc(tt.silent, func(text string) bool { return !lacks(text) }) {
			t.Errorf("%s: it says %q, want %q and not %q", tt.name, message, tt.says, tt.silent)
		}
	}
	selection, _, err := s.Select(t.Context(), index.Selection{Project: "test-project"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Delete(t.Context(), selection); err != nil {
		t.Fatal(err)
	}
	if got := here.rows(t, "SELECT relative_path FROM documents"); fmt.Sprint(got) != "["+docs+"there.md]" {
		t.Errorf("left is %v", got)
	}
}
