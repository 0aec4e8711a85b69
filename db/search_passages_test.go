package db

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// testPassages are the routes of a search for passages, on the corpus of the
// search for documents.
func testPassages(t *testing.T, c *corpus, space *space) {
	t.Helper()
	t.Run("HNSW finds what exact finds", func(t *testing.T) {
		for _, docTypes := range [][]string{nil, {"rare"}} {
			const queries, k = 30, 20
			found := 0
			for range queries {
				found += c.agreeingPassages(t, space, docTypes, k)
			}
			if recall := float64(found) / (queries * k); recall < 0.995 {
				t.Errorf("recall@20 of doc-types %v is %.3f, want at least 0.995", docTypes, recall)
			}
		}
	})
}

// agreeingPassages is how many of the k nearest passages both routes find.
func (c *corpus) agreeingPassages(t *testing.T, space *space, docTypes []string, k int32) (found int) {
	t.Helper()
	query := space.vector()
	exact, err := c.queries.PassageSearchExact(t.Context(), PassageSearchExactParams{
		ProjectID: c.projectID, TenantID: c.tenants["large"], Collection: CollectionCompounding,
		Query: query, DocTypes: docTypes, Levels: allLevels(), MaxPassages: k,
	})
	if err != nil {
		t.Fatal(err)
	}
	hnsw, err := c.queries.PassageSearchHNSW(t.Context(), PassageSearchHNSWParams{
		ProjectID: c.projectID, TenantID: c.tenants["large"], Collection: CollectionCompounding,
		Query: query, DocTypes: docTypes, Levels: allLevels(), MaxPassages: k, MaxCandidates: 4 * k,
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]int{int(k), int(k)}, []int{len(exact), len(hnsw)}); diff != "" {
		t.Fatalf("results of the two routes (-want +got):\n%s", diff)
	}
	known := map[string]bool{}
	for i, row := range exact {
		known[row.RelativePath] = true
		if i > 0 && row.Distance < exact[i-1].Distance {
			t.Errorf("result %d is nearer than the one before it", i)
		}
	}
	for i, row := range hnsw {
		if known[row.RelativePath] {
			found++
		}
		if i > 0 && row.Distance < hnsw[i-1].Distance {
			t.Errorf("result %d of the scan is nearer than the one before it", i)
		}
	}
	return found
}
