package linkgraph

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/rag"
)

// randomGraph has links mostly between documents whose numbers are near.
func randomGraph(nodes int) *Graph {
	random := rand.New(rand.NewPCG(1, 2))
	g := &Graph{}
	linked := map[int]bool{}
	for i := range nodes {
		for range random.IntN(3) {
			to := (i + 1 + random.IntN(20)) % nodes
			g.Edges = append(g.Edges, Edge{From: i, To: to})
			linked[i], linked[to] = true, true
		}
	}
	for i := range nodes {
		g.Nodes = append(g.Nodes, Node{
			Path: fmt.Sprintf("%d.md", i), Title: fmt.Sprintf("A title that is cut somewhere, number %d", i),
			Level: rag.Levels()[random.IntN(3)], Orphan: !linked[i],
		})
	}
	return g
}

func TestLayout_LabelsCoverNothing(t *testing.T) {
	t.Parallel()
	for _, nodes := range []int{1, 2, 30, 300} {
		g := randomGraph(nodes)
		boxes := g.layout()
		for i := range boxes {
			for j := range i {
				if x, y := boxes[i].overlap(boxes[j]); x > 0 && y > 0 {
					t.Errorf("of %d documents, %d and %d overlap by %.1f × %.1f", nodes, i, j, x, y)
				}
			}
		}
		if diff := cmp.Diff(boxes, g.layout(), cmp.AllowUnexported(box{})); diff != "" {
			t.Errorf("another layout of the same graph:\n%s", diff)
		}
	}
}

func BenchmarkLayout_2000Documents(b *testing.B) {
	g := randomGraph(2000)
	for b.Loop() {
		g.layout()
	}
}
