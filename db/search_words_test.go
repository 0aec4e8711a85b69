package db

import (
	stdcmp "cmp"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/pgvector/pgvector-go"
)

// testWords are the searches by words, on the corpus of those by vectors.
func testWords(t *testing.T, c *corpus, space *space) {
	t.Helper()
	small := c.tenants["small"]
	search := func(terms pgvector.SparseVector, rare, rows int32) SearchWordsParams {
		return c.words(small, rows, terms, line{-1, terms, rare})
	}
	find := func(t *testing.T, p SearchWordsParams) []SearchWordsRow {
		t.Helper()
		rows, err := c.queries.SearchWords(t.Context(), p)
		must(t, err)
		slices.SortFunc(rows, func(a, b SearchWordsRow) int {
			return stdcmp.Or(-stdcmp.Compare(a.Bm25, b.Bm25), stdcmp.Compare(a.ID, b.ID))
		})
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
		rows := find(t, search(weighted(2, commonTerm, own), own, 10))
		if diff := cmp.Diff([]string{"7.md 4"}, paths(rows)); diff != "" {
			t.Errorf("found (-want +got):\n%s", diff)
		}
		if distance := rows[0].Distance; !math.IsNaN(distance) {
			t.Errorf("the distance is %v without a vector of the query", distance)
		}
	})
	t.Run("the best", func(t *testing.T) {
		rows := find(t, search(weighted(1, commonTerm, tenthTerm, own), commonTerm, 30))
		if len(rows) != 30 || rows[0].Bm25 != 2 || rows[20].Bm25 != 2 || rows[21].Bm25 != 1 {
			t.Errorf("found %v, want 21 documents with two of the terms and then those with one", paths(rows))
		}
	})
	t.Run("of a doc-type", func(t *testing.T) {
		p := search(weighted(1, commonTerm), commonTerm, 100)
		p.Documents = c.rare(t, "small")
		if rows := find(t, p); len(rows) != 10 {
			t.Errorf("found %v, want all 10", paths(rows))
		}
	})
	t.Run("with a vector", func(t *testing.T) {
		query := space.vector()
		p := search(weighted(1, own), own, 10)
		p.Query, p.ModelID = &query, &c.modelID
		all := c.exactly(together(c.search(small)), &query)
		all.Terms, all.MaxRows = p.Terms, 200
		found := slices.DeleteFunc(c.find(t, all), func(row SearchVectorsRow) bool { return row.RelativePath != "7.md" })
		want := find(t, p)
		if len(want) != 1 || len(found) != 1 {
			t.Fatalf("%d documents are found by words and %d by vectors, want one of each", len(want), len(found))
		}
		want[0].LineBm25 = 0
		if diff := cmp.Diff(want[0], SearchWordsRow(found[0]), cmpopts.EquateNaNs()); diff != "" {
			t.Errorf("what the two statements say of a document (-words +vectors):\n%s", diff)
		}
	})
	t.Run("by lines", func(t *testing.T) {
		p := c.words(small, 10, weighted(1, commonTerm), line{0, weighted(3, own), own}, line{1, weighted(5, own+1), own + 1})
		got := map[string]string{}
		for _, row := range find(t, p) {
			got[row.RelativePath] = fmt.Sprintf("line %d: %g of %g", row.Line, row.LineBm25, row.Bm25)
		}
		if diff := cmp.Diff(map[string]string{"7.md": "line 0: 3 of 1", "8.md": "line 1: 5 of 1"}, got); diff != "" {
			t.Errorf("found (-want +got):\n%s", diff)
		}
	})
}

// line is a line of a pasted text, or with the number -1 the whole query. One term finds
// passages.
type line struct {
	number int32
	terms  pgvector.SparseVector
	rare   int32
}

// words is a search of a tenant by lines.
func (c *corpus) words(tenant, rows int32, terms pgvector.SparseVector, lines ...line) SearchWordsParams {
	p := SearchWordsParams{
		ProjectID: c.projectID, TenantID: tenant, Collection: CollectionCompounding,
		Levels: allLevels(), Terms: terms, MaxRows: rows,
	}
	for _, line := range lines {
		p.Lines, p.LineTerms = append(p.Lines, line.number), append(p.LineTerms, line.terms)
		p.LineRareTerms = append(p.LineRareTerms, fmt.Sprintf("{%d}", line.rare))
		p.LinePassages = append(p.LinePassages, 400)
	}
	return p
}
