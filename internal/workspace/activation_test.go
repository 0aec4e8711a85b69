package workspace_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/internal/workspace"
	"github.com/compound-docs/compound-docs/rag/index"
)

func TestActive_ADocsFolderThatIsALinkIntoTheExternalDocs(t *testing.T) {
	t.Parallel()
	for _, target := range []string{"docs/own", "docs"} {
		t.Run(target, func(t *testing.T) {
			t.Parallel()
			f := setup(t, map[string]string{target + "/problems/a.md": problem("A", "Text."), "docs/manual/b.md": "# B\n\nText.\n"})
			f.write(t, ".csharp-compounding-docs/config.json", `{"project_name": "test-project", "external_docs": {"path": "./docs"}}`)
			if err := os.Symlink(target, filepath.Join(f.root, "csharp-compounding-docs")); err != nil {
				t.Fatal(err)
			}
			f.activate(t, f.server(t), "main")
			want := []string{"compounding csharp-compounding-docs/problems/a.md", "external docs/manual/b.md"}
			if target == "docs" {
				want = want[:1]
			}
			if diff := cmp.Diff(want, f.rows(t, `SELECT collection || ' ' || relative_path FROM documents ORDER BY 1`)); diff != "" {
				t.Errorf("documents (-want +got):\n%s", diff)
			}
		})
	}
}

// A folder outside git keeps the branch that it was activated with.
func TestReindex_KeepsTheBranchOutsideGit(t *testing.T) {
	t.Parallel()
	f := setup(t, map[string]string{docs + "a.md": problem("A", "Text.")})
	f.activate(t, f.server(t), "master")
	s := f.serverFor(t, f.root)
	reindexed, err := s.Reindex(t.Context(), func(string) func(int, int) { return nil })
	if err != nil {
		t.Fatal(err)
	}
	if reindexed.Tenant.Branch != "master" {
		t.Errorf("reindexed %q, want master", reindexed.Tenant.Branch)
	}
	active, err := s.Active(t.Context())
	if err != nil || active.Tenant.Key.Branch != "master" {
		t.Errorf("active on %+v (%v), want master", active, err)
	}
	if _, err := s.Delete(t.Context(), index.Selection{Project: "test-project"}); err != nil {
		t.Fatal(err)
	}
	active, err = s.Active(t.Context())
	if err != nil || active.Tenant.Key.Branch != "master" {
		t.Errorf("after a deletion active on %+v (%v), want master", active, err)
	}
}

// The first call after an activation waits for git as it waits for a sync.
func TestWaitSynced_WaitsForGit(t *testing.T) {
	t.Parallel()
	f := setup(t, map[string]string{docs + "a.md": problem("A", "About apples.")})
	f.git(t, "init", "-q", "-b", "main")
	f.write(t, ".git/index.lock", "")
	s := f.server(t)
	active, err := s.Activate(t.Context(), f.configPath(), "main")
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, "it waits for git", func() bool { return active.Status(t.Context()).GitBusy != nil })
	seen := 0
	active.WaitSynced(t.Context(), func(workspace.Status) {
		if seen++; seen == 3 { // a call that does not wait has not got so far
			f.remove(t, ".git/index.lock")
		}
	})
	if paths := found(t, s, "apples"); len(paths) != 1 {
		t.Errorf("found %v, want the document", paths)
	}
}
