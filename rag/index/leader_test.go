package index_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/internal/document"
	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/rag/index"
	"github.com/compound-docs/compound-docs/test/ragtest"
)

// leadOnce becomes the indexer, and returns a context for writes by it that does not
// end when it leads no longer, as if the process slept and never heard of that.
func leadOnce(t *testing.T, x *index.Index, tenant *catalog.Tenant) (stale context.Context) {
	t.Helper()
	lease := x.Lease(tenant)
	if _, err := lease.Look(t.Context()); err != nil || !lease.Held() {
		t.Fatalf("the server does not lead: %v", err)
	}
	stale = lease.Context(t.Context())
	lease.GiveUp(t.Context())
	return stale
}

// A server that prepared a write while it led cannot write once another server leads, even if it
// does not know that.
func TestLead_FormerLeaderCannotWrite(t *testing.T) {
	t.Parallel()
	f := setup(t)
	x := f.Index.Indexer(f.Tenant, catalog.Compounding, ragtest.AnyDocument{})
	stale := leadOnce(t, f.Index, f.Tenant)
	if _, err := x.Index(stale, []document.File{file("docs/a.md", "Apples.")}); err != nil {
		t.Fatalf("the leader cannot write: %v", err)
	}
	want := f.Rows(t, `SELECT relative_path || encode(content_hash, 'hex') FROM documents`)

	leadOnce(t, f.NewIndex(f.SecondDatabase(t), f.Models), f.Tenant)
	_, indexErr := x.Index(stale, []document.File{file("docs/a.md", "Pears.")})
	for call, err := range map[string]error{
		"index": indexErr, "remove": x.Remove(stale, []string{"docs/a.md"}),
		"touch": x.Touch(stale, map[string]document.Stamp{"docs/a.md": {}}),
	} {
		if err == nil || !strings.Contains(err.Error(), "another server has become the indexer") {
			t.Errorf("%s by the former leader: %v, want to hear of the other", call, err)
		}
	}
	if diff := cmp.Diff(want, f.Rows(t, `SELECT relative_path || encode(content_hash, 'hex') FROM documents`)); diff != "" {
		t.Errorf("documents after the former leader's writes (-want +got):\n%s", diff)
	}
	// A call of a user is no part of that: it looks at the file itself.
	if _, err := x.Index(t.Context(), []document.File{file("docs/a.md", "Pears.")}); err != nil {
		t.Errorf("a call of a user: %v", err)
	}
}
