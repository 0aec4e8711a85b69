package workspace_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/internal/workspace"
)

// about returns a document of 2026-01-02 about files.
func about(title string, files ...string) string {
	return "---\ntitle: " + title + "\ndate: 2026-01-02\nsummary: s\nsignificance: architectural\n" +
		"knowledge_type: code_pattern\nscope: module\nfiles_involved: [" + strings.Join(files, ", ") + "]\n---\n\n" + title + "\n"
}

func TestProject_KnowsStaleDocuments(t *testing.T) {
	t.Parallel()
	const folder = "csharp-compounding-docs/codebase/"
	f := setup(t, map[string]string{
		"src/pool.go": "package src\n", "src/old.go": "package old\n", "src/same.go": "package same\n", "src/gone.go": "package gone\n",
		"src/mail/send.go": "package mail\n\n// Send sends a mail.\n", "src/mail/read.go": "package mail\n\n// Read reads mails.\n",
		folder + "changed.md": about("changed", "src/pool.go:3", "src/gone.go"),
		folder + "moved.md":   about("moved", "src/old.go", "src/mail/"),
		folder + "same.md":    about("same", "src/same.go", "other/repository.go", "../outside.go"),
		folder + "none.md":    about("none"),
	})
	commit := func(date string) {
		f.Git("add", "-A")
		f.Git("commit", "-q", "-m", "work", "--date", date+"T12:00:00Z")
	}
	f.Git("init", "-q", "-b", "main")
	commit("2026-01-01")
	active := f.activate(t, f.server(t), "main")
	if got := active.Stale(t.Context(), nil); len(got) > 0 {
		t.Errorf("stale before any change: %v", got)
	}
	f.Put("src/pool.go", "package src // changed\n")
	f.Rename("src/old.go", "src/new.go")
	f.Rename("src/mail", "src/post")
	f.Remove("src/gone.go")
	commit("2026-02-03")
	want := map[string]string{
		folder + "changed.md": "2 of 2 cited places changed: src/pool.go:3, src/gone.go (gone)",
		folder + "moved.md":   "2 of 2 cited places changed: src/old.go (now src/new.go), src/mail/ (now src/post/)",
	}
	var got map[string]string
	eventually(t, "the stale documents are known", func() bool {
		got = active.Stale(t.Context(), nil)
		return cmp.Equal(want, got)
	})
	// A process that ends soon checks only what it needs.
	ending := f.server(t)
	ending.Once()
	once := f.activate(t, ending, "main")
	found := once.Stale(t.Context(), []string{folder + "changed.md", folder + "same.md"})
	delete(want, folder+"moved.md")
	if diff := cmp.Diff(want, found); diff != "" {
		t.Errorf("stale of two documents (-want +got):\n%s", diff)
	}
	for name, p := range map[string]*workspace.Project{"a server": active, "a process that ends soon": once} {
		citing, err := p.DocumentsCiting(t.Context(), []string{"src/post/send.go"})
		if err != nil || len(citing) != 1 {
			t.Errorf("%s: %d documents cite a file of a folder that was moved: %v", name, len(citing), err)
		}
	}
	// Writers of a stale document vouch for it.
	f.Put(folder+"changed.md", about("changed", "src/pool.go:1")+"\nIt still holds.\n")
	eventually(t, "a corrected document is no longer stale", func() bool {
		_, stale := active.Stale(t.Context(), nil)[folder+"changed.md"]
		return !stale
	})
}
