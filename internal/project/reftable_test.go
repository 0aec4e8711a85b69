package project_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/compound-docs/compound-docs/internal/project"
)

// The tables were written by dulwich. A number of two bytes in the last one was corrected: git has other ones there.
func TestHead_ReadsReftables(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]project.GitHead{
		"branch":   {Branch: "feature/x"}, // in the older of two tables
		"later":    {Branch: "größe"},     // the newer of two
		"detached": {Branch: "HEAD", Detached: true},
		"many":     {Branch: "b" + strings.Repeat("long-", 30) + "name"}, // behind AUTO_MERGE
	} {
		root := reftableRepo(t, name)
		got, err := project.Head(root)
		if err != nil || got.Branch != want.Branch || got.Detached != want.Detached || !got.InRepository {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
		before := got.Stamp()
		list := filepath.Join(root, ".git/reftable/tables.list")
		text, err := os.ReadFile(list)
		if err != nil {
			t.Fatal(err)
		}
		write(t, list, string(text)+"\n", false) // git has made another table
		if got.Stamp() == before {
			t.Errorf("%s: the stamp stays", name)
		}
	}
}

// A linked work tree has tables of its own.
func TestHead_ReadsReftablesOfWorkTrees(t *testing.T) {
	t.Parallel()
	root := reftableRepo(t, "branch")
	own := filepath.Join(root, ".git/worktrees/w")
	write(t, filepath.Join(own, "HEAD"), "ref: refs/heads/.invalid\n", false)
	write(t, filepath.Join(own, "commondir"), "../..\n", false)
	if err := os.CopyFS(filepath.Join(own, "reftable"), os.DirFS("testdata/reftable/later")); err != nil {
		t.Fatal(err)
	}
	linked := t.TempDir()
	write(t, filepath.Join(linked, ".git"), "gitdir: "+own+"\n", false)
	got, err := project.Head(linked)
	if err != nil || got.Branch != "größe" {
		t.Errorf("%+v, %v", got, err)
	}
}

func reftableRepo(t testing.TB, tables string) string {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(root, ".git/HEAD"), "ref: refs/heads/.invalid\n", false)
	if err := os.CopyFS(filepath.Join(root, ".git/reftable"), os.DirFS("testdata/reftable/"+tables)); err != nil {
		t.Fatal(err)
	}
	return root
}

// No table makes the program fail, or a branch that leads out of the repository.
func FuzzReftable(f *testing.F) {
	for _, file := range []string{"branch/0.ref", "later/2.ref", "detached/1.ref", "many/0.ref"} {
		table, err := os.ReadFile("testdata/reftable/" + file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(table)
	}
	root := reftableRepo(f, "branch")
	f.Fuzz(func(t *testing.T, table []byte) {
		write(t, filepath.Join(root, ".git/reftable/1.ref"), string(table), false)
		got, err := project.Head(root)
		if err == nil && got.Branch != "HEAD" && !filepath.IsLocal(filepath.FromSlash(got.Branch)) {
			t.Errorf("the branch is %q", got.Branch)
		}
	})
}
