package db

import (
	"fmt"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
)

// testWords are the searches by words, on the corpus of those by vectors.
func testWords(t *testing.T, c *corpus, space *space) {
	t.Helper()
	small := c.tenants["small"]
	search := func(t *testing.T, params SearchWordsParams) []SearchWordsRow {
		t.Helper()
		params.ProjectID, params.TenantID, params.Collection = c.projectID, small, CollectionCompounding
		params.Levels, params.MaxPassages = allLevels(), 400
		rows, err := c.queries.SearchWords(t.Context(), params)
		if err != nil {
			t.Fatal(err)
		}
		return rows
	}
	paths := func(rows []SearchWordsRow) []string {
		found := []string{}
		for _, row := range rows {
			found = append(found, fmt.Sprintf("%s %g", row.RelativePath, row.Bm25))
		}
		return found
	}
	own := int32(ownTerm + 7)
	t.Run("all terms score what the rare ones find", func(t *testing.T) {
		rows := search(t, SearchWordsParams{Terms: weighted(2, commonTerm, own), RareTerms: []int32{own}, MaxRows: 10})
		if diff := cmp.Diff([]string{"7.md 4"}, paths(rows)); diff != "" {
			t.Errorf("found (-want +got):\n%s", diff)
		}
		if distance := rows[0].Distance; !math.IsNaN(distance) {
			t.Errorf("the distance is %v without a vector of the query", distance)
		}
	})
	t.Run("the best first", func(t *testing.T) {
		rows := search(t, SearchWordsParams{Terms: weighted(1, commonTerm, tenthTerm, own), RareTerms: []int32{commonTerm}, MaxRows: 30})
		if len(rows) != 30 || rows[0].Bm25 != 2 || rows[20].Bm25 != 2 || rows[21].Bm25 != 1 {
			t.Errorf("found %v, want 21 documents with two of the terms and then those with one", paths(rows))
		}
	})
	t.Run("of a doc-type", func(t *testing.T) {
		rows := search(t, SearchWordsParams{
			Terms: weighted(1, commonTerm), RareTerms: []int32{commonTerm}, DocTypes: []string{"rare"}, MaxRows: 100,
		})
		if len(rows) != 10 {
			t.Errorf("found %v, want all 10", paths(rows))
		}
	})
	t.Run("with the distances of the other routes", func(t *testing.T) {
		query := space.vector()
		rows := search(t, SearchWordsParams{
			Terms: weighted(1, own), RareTerms: []int32{own}, Query: &query, ModelID: &c.modelID, MaxRows: 10,
		})
		exact, err := c.queries.SearchExact(t.Context(), SearchExactParams{
			ProjectID: c.projectID, TenantID: small, Collection: CollectionCompounding, Levels: allLevels(),
			Terms: weighted(1, own), Query: &query, ModelID: &c.modelID, MaxRows: 200,
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range exact {
			if row.RelativePath == "7.md" {
				if diff := cmp.Diff(SearchExactRow(rows[0]), row); diff != "" {
					t.Errorf("what is known of the passage (-words +exact):\n%s", diff)
				}
			}
		}
		distances, err := c.queries.SearchDistances(t.Context(), SearchDistancesParams{
			Query: query, Collection: CollectionCompounding, ProjectID: c.projectID, ModelID: c.modelID, Hashes: []uuid.UUID{rows[0].Hash},
		})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]SearchDistancesRow{{Hash: rows[0].Hash, Distance: rows[0].Distance}}, distances); diff != "" {
			t.Errorf("distances (-want +got):\n%s", diff)
		}
	})
	t.Run("without vectors too", func(t *testing.T) {
		rows, err := c.queries.SearchExact(t.Context(), SearchExactParams{
			ProjectID: c.projectID, TenantID: small, Collection: CollectionCompounding,
			Levels: []PromotionLevel{PromotionLevelImportant}, Terms: weighted(1, commonTerm), Unembedded: true, MaxRows: 100,
		})
		if err != nil || len(rows) != 20 || !math.IsNaN(rows[0].Distance) {
			t.Errorf("found %d documents without a query vector, want all 20: %v", len(rows), err)
		}
	})
}
