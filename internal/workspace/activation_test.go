package workspace_test

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/internal/workspace"
	"github.com/compound-docs/compound-docs/rag/apierror"
	"github.com/compound-docs/compound-docs/rag/index"
)

// A folder outside git keeps the branch that it was activated with.
func TestReindex_KeepsTheBranchOutsideGit(t *testing.T) {
	t.Parallel()
	f := setup(t, map[string]string{docs + "a.md": problem("A", "Text.")})
	f.activate(t, f.server(t), "master")
	s := f.serverFor(t, f.Root)
	f.Must(s.Reindex(t.Context(), func(string) func(int, int) { return nil }))
	active, err := s.Active(t.Context())
	if err != nil || active.Tenant.Key.Branch != "master" {
		t.Errorf("active on %+v (%v), want master", active, err)
	}
	for _, branch := range []string{"master", "trunk"} {
		if _, err := s.Delete(t.Context(), index.Selection{Project: "test-project"}); err != nil {
			t.Fatal(err)
		}
		if active, err := s.Active(t.Context()); apierror.AsError(err).Code != apierror.ProjectNotActivated {
			t.Errorf("after a deletion active on %+v (%v), want PROJECT_NOT_ACTIVATED", active, err)
		}
		f.activate(t, s, branch)
		active, err := s.Active(t.Context())
		if err != nil || active.Tenant.Key.Branch != branch {
			t.Errorf("after an activation active on %+v (%v), want %s", active, err, branch)
		}
		if err := s.Reindex(t.Context(), func(string) func(int, int) { return nil }); err != nil {
			t.Error(err)
		}
		active, err = f.serverFor(t, f.Root).Active(t.Context())
		if err != nil || active.Tenant.Key.Branch != branch {
			t.Errorf("another server is active on %+v (%v), want %s", active, err, branch)
		}
	}
}

// Folders may meet over a symbolic link. A file that both could hold belongs to the docs folder.
func TestActive_IndexesNoFileTwiceOverALink(t *testing.T) {
	t.Parallel()
	const folder = "csharp-compounding-docs"
	both := map[string]string{docs + "a.md": problem("A", "Text."), "manual/b.md": "# B\n\nText.\n"}
	apart := []string{"compounding " + docs + "a.md", "external manual/b.md"}
	own := apart[:1]
	for name, test := range map[string]struct {
		files    map[string]string
		external string // its path
		link     string // made in the repository, to target
		target   string
		want     []string
	}{
		"a file of the docs folder, from the external docs": {both, ".", "manual/link.md", "../" + docs + "a.md", apart},
		"an external file, from the docs folder":            {both, "manual", docs + "link.md", "../../manual/b.md", apart},
		"the docs folder, from the external docs":           {both, ".", "manual/docs", "../" + folder, apart},
		"the external docs, from the docs folder":           {both, "manual", docs + "manual", "../../manual", apart},
		"the docs folder is a link into the external docs": {
			map[string]string{"manual/own/problems/a.md": both[docs+"a.md"], "manual/b.md": both["manual/b.md"]},
			"manual", folder, "manual/own", apart,
		},
		"the docs folder is a link to the external docs": {
			map[string]string{"manual/problems/a.md": both[docs+"a.md"]}, "manual", folder, "manual", own,
		},
		"the docs folder is a link to a folder above the external docs": {
			map[string]string{"shared/problems/a.md": both[docs+"a.md"]}, "shared/problems", folder, "shared", own,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := setup(t, test.files)
			f.Put(config, `{"project_name": "test-project", "external_docs": {"path": "`+test.external+`"}}`)
			f.Must(os.Symlink(test.target, f.Path(test.link)))
			f.activate(t, f.server(t), "main")
			if diff := cmp.Diff(test.want, f.rows(t, `SELECT collection || ' ' || relative_path FROM documents ORDER BY 1`)); diff != "" {
				t.Errorf("documents (-want +got):\n%s", diff)
			}
		})
	}
}

// The first call after an activation waits for git as it waits for a sync.
func TestWaitSynced_WaitsForGit(t *testing.T) {
	t.Parallel()
	f := setup(t, map[string]string{docs + "a.md": problem("A", "About apples.")})
	f.Git("init", "-q", "-b", "main")
	f.Put(".git/index.lock", "")
	s := f.server(t)
	active, err := s.Activate(t.Context(), f.configPath(), "main")
	f.Must(err)
	eventually(t, "it waits for git", func() bool { return active.Status().GitBusy != nil })
	seen := 0
	active.WaitSynced(t.Context(), func(workspace.IndexStatus) {
		if seen++; seen == 3 { // a call that does not wait has not got so far
			f.Remove(".git/index.lock")
		}
	})
	if paths := found(t, s, "apples"); len(paths) != 1 {
		t.Errorf("found %v, want the document", paths)
	}
}
