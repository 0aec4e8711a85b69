package index_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/db"
	"github.com/compound-docs/compound-docs/internal/document"
	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/rag/apierror"
	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/rag/index"
)

// A deletion takes the documents of the selected tenants, and the passages that no other tenant of the project uses. Names
// are compared as a whole, also those that look like a pattern.
func TestDelete_TakesWhatIsSelected(t *testing.T) {
	t.Parallel()
	const hash, otherHash = "0123456789abcdef", "0123456789abcdee"
	keys := []catalog.TenantKey{
		{Project: "a%", Branch: "main", PathHash: hash},
		{Project: "a%", Branch: "main", PathHash: otherHash},
		{Project: "a%", Branch: "main2", PathHash: hash},
		{Project: "alpha", Branch: "main", PathHash: hash},
	}
	for _, test := range []struct {
		name      string
		selection index.Selection
		documents int
		want      []string
	}{
		{"a project", index.Selection{Project: "a%"}, 6, []string{"alpha main cdef"}},
		{"an unknown project", index.Selection{Project: "a"}, 0, []string{"a% main cdee", "a% main cdef", "a% main2 cdef", "alpha main cdef"}},
		{"a branch", index.Selection{Project: "a%", Branch: new("main")}, 4, []string{"a% main2 cdef", "alpha main cdef"}},
		{"a pattern of branches", index.Selection{Project: "a%", Branch: new("main%")}, 0, []string{"a% main cdee", "a% main cdef", "a% main2 cdef", "alpha main cdef"}},
		{"a checkout", index.Selection{Project: "a%", PathHash: new(otherHash)}, 2, []string{"a% main cdef", "a% main2 cdef", "alpha main cdef"}},
		{"a branch of a checkout", index.Selection{Project: "a%", Branch: new("main"), PathHash: new(hash)}, 2, []string{"a% main cdee", "a% main2 cdef", "alpha main cdef"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			f := setup(t)
			for _, key := range keys {
				tenant, err := f.Index.Tenant(t.Context(), key, "/repo")
				if err != nil {
					t.Fatal(err)
				}
				f.AddText(t, tenant, file("docs/shared.md", "Apples."), file("docs/own.md", key.Project+key.Branch+key.PathHash))
			}
			preview, previewErr := f.Index.Contents(t.Context(), test.selection)
			deleted, err := f.Index.Delete(t.Context(), test.selection)
			if err := errors.Join(previewErr, err); err != nil || preview != deleted || deleted.Documents != test.documents {
				t.Errorf("preview %+v, deleted %+v, %v, want %d documents", preview, deleted, err, test.documents)
			}
			if diff := cmp.Diff(test.want, f.Rows(t, `SELECT concat_ws(' ', p.name, t.branch_name, right(t.path_hash, 4))
				FROM tenants t JOIN projects p ON p.id = t.project_id
				WHERE EXISTS (SELECT FROM documents d WHERE d.tenant_id = t.id) ORDER BY 1`)); diff != "" {
				t.Errorf("tenants with documents (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff([]string{}, f.Rows(t, `SELECT p.content FROM passages p WHERE NOT EXISTS (SELECT FROM document_chunks c
				WHERE c.project_id = p.project_id AND c.collection = p.collection AND c.passage_hash = p.hash)`)); diff != "" && test.documents > 0 {
				t.Errorf("passages of no document (-want +got):\n%s", diff)
			}
		})
	}
}

// checkGone uses a tenant that was deleted, as a server does that knows nothing
// of it.
func checkGone(t *testing.T, f *fixture, tenant *catalog.Tenant) {
	t.Helper()
	x := indexer(f.Index, tenant, catalog.Compounding)
	_, indexErr := x.Index(t.Context(), []document.File{file("docs/a.md", "Apples.")})
	_, searchErr := f.Searcher.Search(t.Context(), catalog.Scope{Tenant: tenant, Collection: catalog.Compounding}, rag.Query{Text: "x", Limit: 1})
	for call, err := range map[string]error{
		"index": indexErr, "search": searchErr, "remove": x.Remove(t.Context(), []string{"docs/a.md"}),
	} {
		if !errors.Is(err, db.ErrTenantGone) || !strings.Contains(apierror.AsError(err).Error(), "activate_project") {
			t.Errorf("%s in a deleted tenant: %v, want to be told to call activate_project", call, err)
		}
	}
}
