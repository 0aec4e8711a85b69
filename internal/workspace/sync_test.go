package workspace_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/compound-docs/compound-docs/internal/workspace"
	"github.com/compound-docs/compound-docs/test/fakeollama"
)

// A sync during which another branch is checked out ends, and is of the branch that is
// checked out then.
func TestSync_GoesOnWithAnotherBranch(t *testing.T) {
	t.Parallel()
	f := setup(t, map[string]string{docs + "a.md": problem("A", "About apples.")})
	f.Git("init", "-q", "-b", "main")
	f.Commit()
	f.Git("switch", "-q", "-c", "other")
	f.Put(docs+"b.md", problem("B", "About bananas."))
	f.Commit()
	f.Git("switch", "-q", "main")
	f.fake.SetFaults(fakeollama.Faults{EmbedTime: time.Hour})

	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	embedding := make(chan struct{}, 1)
	type result struct {
		active *workspace.Project
		err    error
	}
	ended := make(chan result, 1)
	s := f.serverFor(t, f.Root)
	go func() {
		active, err := s.Sync(ctx, func(status workspace.IndexStatus) {
			if status.Embedding > 0 && status.Pending() == 0 {
				select {
				case embedding <- struct{}{}:
				default:
				}
			}
		})
		ended <- result{active, err}
	}()
	select {
	case <-embedding:
	case got := <-ended:
		t.Fatalf("the sync has ended before anything was embedded: %v", got.err)
	}
	f.Git("switch", "-q", "other")
	f.fake.SetFaults(fakeollama.Faults{})
	got := <-ended
	if got.err != nil || got.active.Tenant.Key.Branch != "other" || !got.active.Status().Current() {
		t.Fatalf("the sync ends on %+v (%v), want branch other, whole", got.active.Tenant.Key, got.err)
	}
	paths := f.rows(t, `SELECT relative_path FROM documents d JOIN tenants t ON t.project_id = d.project_id AND t.id = d.tenant_id
		WHERE t.branch_name = 'other' ORDER BY 1`)
	if !slices.Equal(paths, []string{docs + "a.md", docs + "b.md"}) {
		t.Errorf("branch other has %v", paths)
	}
}
