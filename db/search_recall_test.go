package db

import (
	stdcmp "cmp"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/pgvector/pgvector-go"
)

// search is a search of a tenant that finds nothing yet: it has no vector.
func (c *corpus) search(tenant int32) SearchVectorsParams {
	return SearchVectorsParams{
		ProjectID: c.projectID, TenantID: tenant, Collection: CollectionCompounding,
		NearLevels: allLevels()[:1], PromotedLevels: allLevels()[1:],
		Terms: weighted(1, commonTerm), WantedRows: 1, MaxRows: 10, PromotedRows: 10,
	}
}

// promotedOnly leaves out documents of the standard level.
func promotedOnly(p SearchVectorsParams) SearchVectorsParams {
	p.NearLevels = []PromotionLevel{}
	return p
}

// together scans for all levels in one index.
func together(p SearchVectorsParams) SearchVectorsParams {
	p.NearLevels, p.PromotedLevels = allLevels(), []PromotionLevel{}
	return p
}

// exactly compares all vectors with the query, and scanning walks the indexes.
func (c *corpus) exactly(p SearchVectorsParams, query *pgvector.HalfVector) SearchVectorsParams {
	p.Query, p.ModelID = query, &c.modelID
	return p
}

func (c *corpus) scanning(p SearchVectorsParams, query *pgvector.HalfVector) SearchVectorsParams {
	p.Query, p.ModelID = query, &c.modelID
	const passages = 40
	if len(p.NearLevels) > 0 {
		p.NearScan = passages
	}
	if len(p.PromotedLevels) > 0 {
		p.PromotedScan = passages
	}
	return p
}

func (c *corpus) find(t *testing.T, p SearchVectorsParams) []SearchVectorsRow {
	t.Helper()
	rows, err := c.queries.SearchVectors(t.Context(), p)
	must(t, err)
	slices.SortFunc(rows, func(a, b SearchVectorsRow) int {
		return stdcmp.Or(stdcmp.Compare(a.Distance, b.Distance), stdcmp.Compare(a.ID, b.ID))
	})
	return rows
}

// rareParams asks for the documents of the rare doc-type.
func (c *corpus) rareParams(tenant string) SearchAllowedParams {
	return SearchAllowedParams{
		ProjectID: c.projectID, TenantID: c.tenants[tenant], Collection: CollectionCompounding, Filter: `{"doc_types": {"rare": true}}`,
	}
}

// rare returns the documents of the rare doc-type.
func (c *corpus) rare(t *testing.T, tenant string) []int64 {
	t.Helper()
	row, err := c.queries.SearchAllowed(t.Context(), c.rareParams(tenant))
	if err != nil || len(row.Documents) == 0 {
		t.Fatalf("%d rare documents: %v", len(row.Documents), err)
	}
	return row.Documents
}

func testRecall(t *testing.T, c *corpus, space *space) {
	t.Helper()
	large, small := together(c.search(c.tenants["large"])), together(c.search(c.tenants["small"]))
	important := promotedOnly(c.search(c.tenants["large"]))
	rare, passages := large, large
	rare.Documents, passages.EachPassage = c.rare(t, "large"), true
	both := rare
	both.EachPassage = true
	for _, test := range []struct {
		name   string
		search SearchVectorsParams
	}{
		{"large tenant", large},
		{"small tenant among others", small},
		{"one level in ten", important},
		{"one doc-type in twenty", rare},
		{"passages", passages},
		{"passages of one doc-type", both},
	} {
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
func (c *corpus) agreeing(t *testing.T, query pgvector.HalfVector, search SearchVectorsParams, k int) (found int) {
	t.Helper()
	exact, scanned := c.find(t, c.exactly(search, &query)), c.find(t, c.scanning(search, &query))
	if diff := cmp.Diff([]int{k, k}, []int{len(exact), len(scanned)}); diff != "" {
		t.Fatalf("results of the two routes (-want +got):\n%s", diff)
	}
	known := map[int64]SearchVectorsRow{}
	for _, row := range exact {
		known[row.ID] = row
	}
	for _, row := range scanned {
		if other, ok := known[row.ID]; ok {
			found++
			if diff := cmp.Diff(other, row, cmpopts.EquateNaNs()); diff != "" {
				t.Errorf("what the routes say of a document (-exact +scan):\n%s", diff)
			}
		}
	}
	return found
}

// Where a scan finds too few documents, all vectors are compared.
func testFewScanned(t *testing.T, c *corpus, space *space) {
	t.Helper()
	query := space.vector()
	p := together(c.scanning(c.search(c.tenants["small"]), &query))
	p.NearScan, p.MaxRows = 5, 20
	for wanted, want := range map[int32]int{5: 5, 6: 20} {
		p.WantedRows = wanted
		if got := len(c.find(t, p)); got != want {
			t.Errorf("of %d wanted documents, of which a scan finds 5, %d are found, want %d", wanted, got, want)
		}
	}
	p.NearScan = 0
	if got := c.find(t, p); len(got) != 20 {
		t.Errorf("without a scan %d documents are found, want 20", len(got))
	}
}

// Documents that are asked for are found without a vector too.
func testUnembedded(t *testing.T, c *corpus) {
	t.Helper()
	p := promotedOnly(c.search(c.tenants["small"]))
	p.Unembedded, p.PromotedRows = true, 100
	if rows := c.find(t, p); len(rows) != 20 || !math.IsNaN(rows[0].Distance) {
		t.Errorf("found %d documents without a query vector, want all 20", len(rows))
	}
	p.Unembedded = false
	if rows := c.find(t, p); len(rows) != 0 {
		t.Errorf("without a vector and without words %d documents are found", len(rows))
	}
}
