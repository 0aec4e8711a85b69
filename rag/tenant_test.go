package rag_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/internal/document"
	"github.com/compound-docs/compound-docs/rag"
)

// A deletion holds until somebody activates the checkout, and whoever had it
// before hears of it, whether its row stays for its external docs or goes.
func TestState_FollowsDeletionsAndActivations(t *testing.T) {
	t.Parallel()
	for name, external := range map[string]bool{"nothing is left": false, "external docs are left": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := setup(t)
			f.index(t, f.tenant, file("docs/a.md", "Apples."))
			want := []string{}
			if external {
				x := f.library.Indexer(f.tenant, rag.External, nil)
				if _, err := x.Index(t.Context(), []document.File{file("manual/b.md", "Pears.")}); err != nil {
					t.Fatal(err)
				}
				want = []string{"manual/b.md"}
			}
			check := func(what string, tenant *rag.Tenant, deleted, replaced bool) {
				t.Helper()
				state, err := f.library.State(t.Context(), tenant)
				if err != nil {
					t.Fatal(err)
				}
				if state.Deleted != deleted || state.Replaced != replaced || state.DeletedAt.IsZero() == (deleted && external) {
					t.Errorf("%s: %+v, want deleted %v, replaced %v", what, state, deleted, replaced)
				}
			}
			check("before", f.tenant, false, false)
			if rejoined, err := f.library.Rejoin(t.Context(), f.tenant.Key); err != nil || !rejoined.Same(f.tenant) {
				t.Errorf("before, a second server gets %+v, %v", rejoined, err)
			}
			deleted, err := f.library.Delete(t.Context(), rag.Selection{Project: f.tenant.Key.Project})
			if err != nil || deleted.Documents != 1 {
				t.Fatalf("deleted %+v, %v, want the one document that is the project's own", deleted, err)
			}
			if diff := cmp.Diff(want, f.rows(t, `SELECT relative_path FROM documents`)); diff != "" {
				t.Errorf("documents (-want +got):\n%s", diff)
			}
			check("deleted", f.tenant, true, false)
			if _, err := f.library.Rejoin(t.Context(), f.tenant.Key); !errors.Is(err, rag.ErrTenantGone) {
				t.Errorf("deleted, a second server gets %v, want ErrTenantGone", err)
			}
			again := f.branch(t, "main")
			check("activated again, for the first", f.tenant, false, true)
			check("activated again, for the second", again, false, false)
			checkGone(t, f, f.tenant, sample{path: "docs/a.md", subjects: []string{"apples"}})
			f.index(t, again, file("docs/a.md", "Apples."))
		})
	}
}
