package workspace_test

import (
	"testing"
	"time"

	"github.com/compound-docs/compound-docs/internal/workspace"
	"github.com/compound-docs/compound-docs/test/await"
)

const docsFolder = "csharp-compounding-docs/problems/"

// silence makes the server that indexes one that says nothing any more and whose lease lasts:
// one that is suspended or cut off.
func (f *fixture) silence(t *testing.T, leader *workspace.Workspace) {
	t.Helper()
	eventually(t, "the server has said that the index is up to date", func() bool {
		return len(f.rows(t, `SELECT branch_name FROM tenants WHERE (sync_status->>'queued')::integer = 0
			AND sync_status->>'embedding' = '0' AND sync_status->>'synced' > '2'`)) == 1
	})
	leader.Close()
	f.rows(t, `UPDATE tenants SET holder = 'elsewhere', lease_until = now() + interval '15 s' RETURNING branch_name`)
}

func TestStatus_SeesChangesThatTheLeaderDoesNotTell(t *testing.T) {
	t.Parallel()
	f := setup(t, map[string]string{docsFolder + "a.md": problem("a", "first"), "aside/b.md": problem("b", "second")})
	leader := f.server(t)
	f.activate(t, leader, "main")
	f.silence(t, leader)
	follower := f.activate(t, f.server(t), "main")
	current := func() bool { return follower.Status().Current() }
	if !current() {
		t.Fatalf("nothing has changed: %+v", follower.Status())
	}
	text := f.Read(docsFolder + "a.md")
	for what, step := range []struct{ do, undo func() }{
		{func() { f.Put(docsFolder+"new.md", problem("new", "new")) }, func() { f.Remove(docsFolder + "new.md") }},
		{func() { f.Rename("aside", docsFolder+"in") }, func() { f.Rename(docsFolder+"in", "aside") }},
		{func() { f.Rename("csharp-compounding-docs", "away") }, func() { f.Rename("away", "csharp-compounding-docs") }},
	} {
		step.do()
		// An event takes a moment. Seconds later the silent server is suspected anyway.
		await.Within(t, "a change is seen", time.Second, func() bool { return !current() })
		if status := follower.Status(); status.Pending() == 0 {
			t.Errorf("%d: nothing is pending: %+v", what, status)
		}
		time.Sleep(5 * debounce) // it stays so when the folder is quiet again
		if current() {
			t.Errorf("%d: the index seems to hold what nobody has indexed", what)
		}
		step.undo()
		eventually(t, "the files are those of the index again", func() bool {
			return current() || follower.Status().Waiting != ""
		})
	}
	f.Put(docsFolder+"a.md", text) // the same text: nobody has read it
	await.Within(t, "a file that was written is not known", time.Second, func() bool { return !current() })
}

// A call never waits for the server that indexes longer than a few seconds.
func TestWaitSynced_GivesUpOnALeaderThatNoticesNothing(t *testing.T) {
	t.Parallel()
	f := setup(t, map[string]string{docsFolder + "a.md": problem("a", "first")})
	leader := f.server(t)
	f.activate(t, leader, "main")
	f.silence(t, leader)
	f.Put(docsFolder+"b.md", problem("b", "second"))
	follower, err := f.server(t).Activate(t.Context(), f.configPath(), "main")
	f.Must(err)
	began := time.Now()
	if status := follower.WaitSynced(t.Context(), nil); status.Pending() != 1 && status.Waiting == "" {
		t.Errorf("the document that nobody indexes is not pending: %+v", status)
	}
	if waited := time.Since(began); waited > 7*time.Second {
		t.Errorf("the call waited %s", waited)
	}
}

// From the moment of the edit no answer comes from the folder before.
func TestWorkspace_TakesAnEditedConfigWithTheNextCall(t *testing.T) {
	t.Parallel()
	f := setup(t, map[string]string{
		docsFolder + "a.md":   problem("a", "a pangolin"),
		"notes/problems/b.md": problem("b", "a pangolin"),
	})
	leader, follower := f.server(t), f.server(t)
	f.activate(t, leader, "main")
	f.activate(t, follower, "main")
	for range 3 {
		for folder, path := range map[string]string{"notes": "notes/problems/b.md", "csharp-compounding-docs": docsFolder + "a.md"} {
			f.Put(config, `{"project_name": "test-project", "documents": {"folder": "`+folder+`"}}`)
			for _, s := range []*workspace.Workspace{leader, follower} {
				got := found(t, s, "pangolin")
				active, err := s.Active(t.Context())
				f.Must(err)
				if (len(got) != 1 || got[0] != path) && active.Status().Pending() == 0 && active.Status().Waiting == "" {
					t.Errorf("the folder is %s, found is %v, and nothing is pending", folder, got)
				}
			}
		}
	}
}
