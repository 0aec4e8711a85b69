package workspace_test

import (
	"slices"
	"testing"
)

// A workspace that is used once has the text of all files, and leaves vectors and the lease
// to servers.
func TestWorkspace_OnceIndexesTextAlone(t *testing.T) {
	t.Parallel()
	f := setup(t, map[string]string{docs + "pool.md": problem("Pool", "The connection pool is exhausted.")})
	server := f.server(t)
	f.activate(t, server, "main")
	server.Close()
	f.Put(docs+"new.md", problem("New", "A zeppelin lands."))
	f.Put(docs+"broken.md", "---\ntitle: [\n---\n\nText.\n")

	once := f.serverFor(t, f.Root)
	once.Once()
	if got := found(t, once, "zeppelin"); !slices.Contains(got, docs+"new.md") {
		t.Errorf("a search finds %v, want the file that was saved a moment ago", got)
	}
	active, err := once.Active(t.Context())
	f.Must(err)
	status := active.Status()
	if status.Pending() != 0 || status.Waiting != "" || status.FailedCount != 1 || status.Embedding != 2 || status.Passages != 4 {
		t.Errorf("the status is %+v, want all text, one file that cannot be indexed, and two passages without a vector", status)
	}
	got := f.rows(t, "SELECT (SELECT count(*) FROM embeddings) || ' ' || (SELECT count(holder) FROM tenants)")
	if !slices.Equal(got, []string{"2 0"}) {
		t.Errorf("vectors and holders of the lease are %v, want 2 vectors as before and no holder", got)
	}
}
