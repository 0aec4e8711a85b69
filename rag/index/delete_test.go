package index_test

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/db"
	"github.com/compound-docs/compound-docs/internal/document"
	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/rag/apierror"
	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/rag/index"
	"github.com/compound-docs/compound-docs/test/testenv"
)

func randomSelection(random *rand.Rand) index.Selection {
	selection := index.Selection{Project: pick(random, append(someProjects, "unknown"))}
	if random.IntN(2) == 0 {
		branch := pick(random, append(someBranches, "main%", ""))
		selection.Branch = &branch
	}
	if random.IntN(2) == 0 {
		hash := pick(random, append(someHashes, "0123456789abcdef0", ""))
		selection.PathHash = &hash
	}
	return selection
}

// Deletions between indexing, on random tenants, leave what a model in memory holds.
func TestDelete_MatchesModel(t *testing.T) {
	t.Parallel()
	const steps = 60
	for seed := range uint64(6) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			if seed > 0 {
				testenv.Slow(t, "more random operations are tried")
			}
			random := rand.New(rand.NewPCG(seed, 5))
			f := setup(t)
			m := &model{tenants: map[catalog.TenantKey]*modelTenant{}, passages: map[string]map[string]bool{}}
			if _, err := f.Index.Delete(t.Context(), index.Selection{Project: f.Tenant.Key.Project}); err != nil {
				t.Fatal(err)
			}
			var gone []*catalog.Tenant
			for step := range steps {
				switch choice := random.IntN(10); {
				case choice == 0 && len(gone) > 0:
					checkGone(t, f, pick(random, gone), randomSample(random))
				case choice == 1 && len(m.tenants) > 0:
					key := pick(random, slices.SortedFunc(maps.Keys(m.tenants), compareKeys))
					m.removeOne(t, f, random, key)
				case choice < 8:
					key := catalog.TenantKey{
						Project: pick(random, someProjects), Branch: pick(random, someBranches), PathHash: pick(random, someHashes),
					}
					collection := pick(random, []catalog.Collection{catalog.Compounding, catalog.Compounding, catalog.External})
					m.index(t, f, key, collection, randomSample(random), randomSample(random))
				default:
					gone = append(gone, checkDelete(t, f, m, randomSelection(random))...)
				}
				if diff := gocmp.Diff(m.lines(), f.Rows(t, snapshot)); diff != "" {
					t.Fatalf("after step %d (-want +got):\n%s", step, diff)
				}
			}
		})
	}
}

func compareKeys(a, b catalog.TenantKey) int {
	return cmp.Or(cmp.Compare(a.Project, b.Project), cmp.Compare(a.Branch, b.Branch), cmp.Compare(a.PathHash, b.PathHash))
}

func (m *model) removeOne(t *testing.T, f *fixture, random *rand.Rand, key catalog.TenantKey) {
	t.Helper()
	tenant, path := m.register(t, f, key), pick(random, somePaths)
	delete(tenant.documents[catalog.Compounding], path)
	if err := indexer(f.Index, tenant.Tenant, catalog.Compounding).Remove(t.Context(), []string{path}); err != nil {
		t.Fatal(err)
	}
}

// checkDelete deletes, and compares counts. It returns the tenants that may no longer be used.
func checkDelete(t *testing.T, f *fixture, m *model, selection index.Selection) []*catalog.Tenant {
	t.Helper()
	want := m.contents(selection)
	preview, err := f.Index.Contents(t.Context(), selection)
	if err != nil {
		t.Fatal(err)
	}
	if diff := gocmp.Diff(want, preview); diff != "" {
		t.Fatalf("preview of %+v (-want +got):\n%s", selection, diff)
	}
	deleted, err := f.Index.Delete(t.Context(), selection)
	if err != nil {
		t.Fatal(err)
	}
	if diff := gocmp.Diff(want, deleted); diff != "" {
		t.Fatalf("deleted by %+v (-want +got):\n%s", selection, diff)
	}
	return m.delete(selection)
}

// checkGone uses a tenant that was deleted, as a server does that knows nothing
// of it.
func checkGone(t *testing.T, f *fixture, tenant *catalog.Tenant, s sample) {
	t.Helper()
	x := indexer(f.Index, tenant, catalog.Compounding)
	_, indexErr := x.Index(t.Context(), []document.File{s.file()})
	_, searchErr := f.Searcher.Search(t.Context(), catalog.Scope{Tenant: tenant, Collection: catalog.Compounding}, rag.Query{Text: "x", Limit: 1})
	for call, err := range map[string]error{
		"index": indexErr, "search": searchErr, "remove": x.Remove(t.Context(), []string{s.path}),
	} {
		if !errors.Is(err, db.ErrTenantGone) || !strings.Contains(apierror.AsError(err).Error(), "activate_project") {
			t.Errorf("%s in a deleted tenant: %v, want to be told to call activate_project", call, err)
		}
	}
}
