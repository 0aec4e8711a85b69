package lint

import (
	"slices"
	"testing"

	"github.com/compound-docs/compound-docs/internal/docset"
	"github.com/compound-docs/compound-docs/rag/index"
)

// Passages that share equally much are compared in one order, also when they begin in the same line.
func TestNearest_HasOneOrder(t *testing.T) {
	t.Parallel()
	alike := make([]index.DissectedPassage, 4*maxCompared)
	for i := range alike {
		alike[i].StartLine, alike[i].Terms = 7, []string{"lease"}
	}
	set := &docset.Set{Documents: []*docset.Document{
		{Path: "a.md", Dissection: index.Dissection{Date: "2026-01-01", Passages: alike[:1]}},
		{Path: "b.md", Dissection: index.Dissection{Date: "2026-01-02", Passages: alike}},
	}}
	all := newPassages(set)
	for range 20 {
		got := all.nearest(all.passages[0], func(string) float64 { return 1 })
		if want := all.passages[1 : 1+maxCompared]; !slices.Equal(want, got) {
			t.Fatal("the nearest passages are not the first ones")
		}
	}
}
