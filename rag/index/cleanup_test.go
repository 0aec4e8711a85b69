package index_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/compound-docs/compound-docs/internal/document"
	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/rag/index"
)

// judging is a machine with the given checkouts by branch; of others it knows
// nothing.
func judging(known map[string]index.CheckoutState) func(catalog.TenantKey, string) index.CheckoutState {
	return func(key catalog.TenantKey, _ string) index.CheckoutState { return known[key.Branch] }
}

func everythingIsAlive(catalog.TenantKey, string) index.CheckoutState { return index.Alive }

func (f *fixture) exec(t *testing.T, statement string, args ...any) {
	t.Helper()
	if _, err := f.Pool.Exec(t.Context(), statement, args...); err != nil {
		t.Fatal(err)
	}
}

// age makes everything as if it was used so many hours ago.
func (f *fixture) age(t *testing.T, hours int) {
	t.Helper()
	f.exec(t, "UPDATE tenants SET last_seen = last_seen - make_interval(hours => $1)", hours)
}

func (f *fixture) cleanup(t *testing.T, options index.CleanupOptions) index.CleanupResult {
	t.Helper()
	cleaned, err := f.Index.Cleanup(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	return cleaned
}

// contents are the projects, checkouts, documents and passages of the index.
const contents = `
	SELECT 'project ' || name AS line FROM projects
	UNION ALL SELECT 'tenant ' || id FROM tenants
	UNION ALL SELECT concat_ws(' ', 'document', tenant_id, relative_path, content_hash) FROM documents
	UNION ALL SELECT concat_ws(' ', 'passage', project_id, collection, hash) FROM passages
	ORDER BY 1`

// own is a document with text that no other has, and text that all have.
func own(branch string) document.File {
	return file("docs/own.md", "# Own", "", section("Shared", "apples"), section("Own", branch))
}

func TestCleanup_RemovesWhatIsGone(t *testing.T) {
	t.Parallel()
	f := setup(t)
	for _, branch := range []string{"main", "alive", "gone", "busy", "unknown"} {
		f.Add(t, f.Branch(t, branch), own(branch))
	}
	// The external docs of a checkout go with it.
	if _, err := indexer(f.Index, f.Branch(t, "gone"), catalog.External).Index(t.Context(), twoDocuments()[1:]); err != nil {
		t.Fatal(err)
	}
	handbook, err := f.Index.Handbook(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := indexer(f.Index, handbook, catalog.Handbook).Index(t.Context(), twoDocuments()[1:]); err != nil {
		t.Fatal(err)
	}
	f.age(t, 31*24)
	f.Add(t, f.Branch(t, "recent"), own("recent"))
	f.exec(t, `UPDATE tenants SET holder = 'another server', lease_until = now() + interval '1 hour' WHERE branch_name = 'busy'`)
	options := index.CleanupOptions{
		Grace: 30 * 24 * time.Hour, DryRun: true,
		Judge: judging(map[string]index.CheckoutState{"main": index.Alive, "alive": index.Alive, "gone": index.Gone, "busy": index.Gone}),
	}
	before := f.Rows(t, contents)
	want := index.CleanupResult{
		Tenants: []index.CleanedTenant{
			{Project: "test-project", Branch: "busy", Root: "/repo", BranchGone: true, InUse: true},
			{Project: "test-project", Branch: "gone", Root: "/repo", BranchGone: true, Documents: 2},
			{Project: "test-project", Branch: "unknown", Root: "/repo", Documents: 1},
		},
		Projects: []index.CleanedProject{{Name: "test-project", Passages: 3}},
	}
	unseen := cmpopts.IgnoreFields(index.CleanedTenant{}, "LastSeen")
	if diff := cmp.Diff(want, f.cleanup(t, options), unseen); diff != "" {
		t.Errorf("dry run (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(before, f.Rows(t, contents)); diff != "" {
		t.Errorf("the dry run changed (-want +got):\n%s", diff)
	}

	options.DryRun = false
	if diff := cmp.Diff(want, f.cleanup(t, options), unseen); diff != "" {
		t.Errorf("cleanup (-want +got):\n%s", diff)
	}
	f.checkWhole(t)
	wantLeft := []string{"1 alive", "1 busy", "1 main", "1 recent", "1"}
	gotLeft := f.Rows(t, `SELECT concat_ws(' ', count(d.id), nullif(t.branch_name, '')) AS line
		FROM tenants t LEFT JOIN documents d ON d.tenant_id = t.id GROUP BY t.branch_name ORDER BY t.branch_name = '', line`)
	if diff := cmp.Diff(wantLeft, gotLeft); diff != "" {
		t.Errorf("left (-want +got):\n%s", diff)
	}

	// With its server, the last that is gone.
	f.exec(t, `UPDATE tenants SET holder = NULL, lease_until = NULL`)
	want = index.CleanupResult{
		Tenants:  []index.CleanedTenant{{Project: "test-project", Branch: "busy", Root: "/repo", BranchGone: true, Documents: 1}},
		Projects: []index.CleanedProject{{Name: "test-project", Passages: 1}},
	}
	if diff := cmp.Diff(want, f.cleanup(t, options), unseen); diff != "" {
		t.Errorf("second cleanup (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(index.CleanupResult{}, f.cleanup(t, options)); diff != "" {
		t.Errorf("third cleanup (-want +got):\n%s", diff)
	}

	// Files are the truth: the removed documents come back.
	f.Add(t, f.Branch(t, "gone"), own("gone"))
	f.checkWhole(t)
}

// The sweep finds a passage unused, because the document that has come to use it
// is not committed yet.
func TestCleanup_KeepsWhatIsReusedMeanwhile(t *testing.T) {
	t.Parallel()
	f := setup(t)
	other, _ := f.server(t)
	f.Add(t, f.Tenant, twoDocuments()...)
	if err := indexer(f.Index, f.Tenant, catalog.Compounding).Remove(t.Context(), []string{"docs/a.md", "docs/b.md"}); err != nil {
		t.Fatal(err)
	}
	var cleaned index.CleanupResult
	indexErr, cleanErr := f.inOrder(t, func() error {
		_, err := indexer(other, f.Tenant, catalog.Compounding).Index(t.Context(), twoDocuments()[:1])
		return err
	}, func() error {
		var err error
		cleaned, err = f.Index.Cleanup(t.Context(), index.CleanupOptions{Judge: everythingIsAlive})
		return err
	})
	if indexErr != nil || cleanErr != nil {
		t.Errorf("index: %v, cleanup: %v", indexErr, cleanErr)
	}
	want := index.CleanupResult{Projects: []index.CleanedProject{{Name: "test-project", Passages: 1}}} // the plums of b.md
	if diff := cmp.Diff(want, cleaned); diff != "" {
		t.Errorf("cleanup (-want +got):\n%s", diff)
	}
	f.checkWhole(t)
}
