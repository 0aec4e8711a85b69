package db

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pgvector/pgvector-go"
)

func testRecall(t *testing.T, c *corpus, space *space) {
	t.Helper()
	large, small := c.tenants["large"], c.tenants["small"]
	tests := []struct {
		name   string
		search SearchExactParams
	}{
		{"large tenant", SearchExactParams{TenantID: large, Levels: allLevels()}},
		{"small tenant among others", SearchExactParams{TenantID: small, Levels: allLevels()}},
		{"one level in ten", SearchExactParams{TenantID: large, Levels: []PromotionLevel{PromotionLevelImportant}}},
		{"one doc-type in twenty", SearchExactParams{TenantID: large, DocTypes: []string{"rare"}, Levels: allLevels()}},
		{"passages", SearchExactParams{TenantID: large, Levels: allLevels(), EachPassage: true}},
		{"passages of one doc-type", SearchExactParams{TenantID: large, DocTypes: []string{"rare"}, Levels: allLevels(), EachPassage: true}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			const queries, k = 30, 10
			found := 0
			for range queries {
				found += c.agreeing(t, space.vector(), test.search, k)
			}
			if recall := float64(found) / (queries * k); recall < 0.995 {
				t.Errorf("recall@10 is %.3f, want at least 0.995", recall)
			}
		})
	}
}

// agreeing is how many of the k nearest documents, or passages, both routes find.
func (c *corpus) agreeing(t *testing.T, query pgvector.HalfVector, search SearchExactParams, k int32) (found int) {
	t.Helper()
	search.ProjectID, search.Collection, search.Query, search.ModelID = c.projectID, CollectionCompounding, &query, &c.modelID
	search.Terms, search.MaxRows = weighted(1, commonTerm), k
	exact, err := c.queries.SearchExact(t.Context(), search)
	if err != nil {
		t.Fatal(err)
	}
	hnsw, err := c.queries.SearchHNSW(t.Context(), SearchHNSWParams{
		ProjectID: c.projectID, TenantID: search.TenantID, Collection: CollectionCompounding,
		Query: query, ModelID: c.modelID, Terms: search.Terms, DocTypes: search.DocTypes, Levels: search.Levels,
		EachPassage: search.EachPassage, MaxRows: k, MaxPassages: 4 * k,
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]int{int(k), int(k)}, []int{len(exact), len(hnsw)}); diff != "" {
		t.Fatalf("results of the two routes (-want +got):\n%s", diff)
	}
	known := map[int64]SearchExactRow{}
	for i, row := range exact {
		known[row.ID] = row
		if i > 0 && row.Distance < exact[i-1].Distance {
			t.Errorf("result %d is nearer than the one before it", i)
		}
	}
	for i, row := range hnsw {
		if i > 0 && row.Distance < hnsw[i-1].Distance {
			t.Errorf("result %d of the scan is nearer than the one before it", i)
		}
		if other, ok := known[row.ID]; ok {
			found++
			row.Candidates = 0
			if diff := cmp.Diff(other, SearchExactRow(row)); diff != "" {
				t.Errorf("what the routes say of a document (-exact +scan):\n%s", diff)
			}
		}
	}
	return found
}
