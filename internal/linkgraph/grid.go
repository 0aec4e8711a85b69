package linkgraph

import "math"

// cellSize is at least the width and the height of every box.
const cellSize = 400.0

// grid finds the boxes near a place without looking at all of them.
type grid struct {
	size  float64
	cells map[[2]int][]int
}

func newGrid(boxes []box, members []int, size float64) *grid {
	g := &grid{size: size, cells: map[[2]int][]int{}}
	for _, i := range members {
		g.add(boxes[i], i)
	}
	return g
}

func (g *grid) cell(b box) [2]int {
	return [2]int{int(math.Floor(b.x / g.size)), int(math.Floor(b.y / g.size))}
}

func (g *grid) add(b box, i int) { g.cells[g.cell(b)] = append(g.cells[g.cell(b)], i) }

// near calls visit for the boxes that are at most size away from b, and for some others.
func (g *grid) near(b box, visit func(i int)) {
	at := g.cell(b)
	for x := at[0] - 1; x <= at[0]+1; x++ {
		for y := at[1] - 1; y <= at[1]+1; y++ {
			for _, i := range g.cells[[2]int{x, y}] {
				visit(i)
			}
		}
	}
}
