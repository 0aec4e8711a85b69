package linkgraph

import (
	"math"
	"strings"
)

// The layout is computed in pixels of the page at its natural size.
const (
	maxLabel    = 260.0 // so that no box is wider than a cell
	lineHeight  = 15
	edgeLength  = 150.0
	forceRounds = 80
	pushRounds  = 80
	maxSpreads  = 20
	gap         = 8.0
)

// box is a node with its label below it. x and y are the middle of the node.
type box struct {
	x, y   float64
	radius float64
	label  string
	half   float64 // of the width
}

func newBox(n Node) box {
	b := box{radius: 7 + 4*float64(max(n.size(), 0)), label: shortened(n.Title)}
	b.half = max(b.radius, labelWidth(b.label)/2) + gap/2
	return b
}

func (b box) top() float64    { return b.y - b.radius - gap/2 }
func (b box) bottom() float64 { return b.y + b.radius + lineHeight + gap/2 }

// labelWidth is about the width of a text in a sans-serif font of 12 pixels, rather more
// than less.
func labelWidth(text string) float64 {
	width := 0.0
	for _, r := range text {
		if r < 0x1100 {
			width += 7.4
		} else {
			width += 13
		}
	}
	return width
}

// overlap returns how far two boxes reach into each other; neither is above 0 if they do
// not.
func (b box) overlap(other box) (x, y float64) {
	return b.half + other.half - math.Abs(b.x-other.x),
		min(b.bottom(), other.bottom()) - max(b.top(), other.top())
}

// layout places the nodes so that nodes with links are near each other, and no label
// covers another one or a node. The same graph has the same layout.
func (g *Graph) layout() []box {
	boxes := make([]box, len(g.Nodes))
	var linked, orphans []int
	for i, n := range g.Nodes {
		boxes[i] = newBox(n)
		if n.Orphan && len(g.Nodes) > 1 {
			orphans = append(orphans, i)
		} else {
			linked = append(linked, i)
		}
	}
	for order, i := range linked { // a sunflower
		angle, distance := 2.399963*float64(order), edgeLength*0.7*math.Sqrt(float64(order))
		boxes[i].x, boxes[i].y = distance*math.Cos(angle), distance*math.Sin(angle)
	}
	g.pull(boxes, linked)
	for _, i := range linked {
		boxes[i].x *= 1.5 // labels are wider than high
	}
	spread(boxes, linked)
	separate(boxes, linked)
	below(boxes, linked, orphans)
	return boxes
}

// pull is Fruchterman and Reingold's layout, in which only nodes near each other push.
func (g *Graph) pull(boxes []box, linked []int) {
	gravity := 0.4 / math.Sqrt(float64(max(len(linked), 1))) // of a large graph as of a small one, at its rim
	for round := range forceRounds {
		moves := make([][2]float64, len(boxes))
		push := func(i, j int, force float64) { // of i away from j
			dx, dy := boxes[i].x-boxes[j].x, boxes[i].y-boxes[j].y
			d := math.Hypot(dx, dy)
			if d < 1 {
				dx, dy, d = float64(i-j), 1, math.Hypot(float64(i-j), 1)
			}
			moves[i][0] += dx / d * force
			moves[i][1] += dy / d * force
		}
		cells := newGrid(boxes, linked, 3*edgeLength)
		for _, i := range linked {
			cells.near(boxes[i], func(j int) {
				if d := math.Hypot(boxes[i].x-boxes[j].x, boxes[i].y-boxes[j].y); i != j && d < 3*edgeLength {
					push(i, j, edgeLength*edgeLength/max(d, 1))
				}
			})
			moves[i][0] -= boxes[i].x * gravity
			moves[i][1] -= boxes[i].y * gravity
		}
		for _, e := range g.Edges {
			d := math.Hypot(boxes[e.From].x-boxes[e.To].x, boxes[e.From].y-boxes[e.To].y)
			push(e.From, e.To, -d*d/edgeLength)
			push(e.To, e.From, -d*d/edgeLength)
		}
		heat := edgeLength * (1 - float64(round)/forceRounds)
		for _, i := range linked {
			length := math.Hypot(moves[i][0], moves[i][1])
			if length > 0 {
				boxes[i].x += moves[i][0] / length * min(length, heat)
				boxes[i].y += moves[i][1] / length * min(length, heat)
			}
		}
	}
}

// spread scales the layout until so few boxes overlap that they can be moved apart.
func spread(boxes []box, linked []int) {
	for range maxSpreads {
		overlaps := 0
		cells := newGrid(boxes, linked, cellSize)
		for _, i := range linked {
			cells.near(boxes[i], func(j int) {
				if x, y := boxes[i].overlap(boxes[j]); i < j && x > 0 && y > 0 {
					overlaps++
				}
			})
		}
		if overlaps <= len(linked)/3 {
			return
		}
		for _, i := range linked {
			boxes[i].x, boxes[i].y = 1.2*boxes[i].x, 1.2*boxes[i].y
		}
	}
}

// separate moves boxes until none overlaps another one: first each two apart, then those
// that are left downwards.
func separate(boxes []box, linked []int) {
	for range pushRounds {
		moved := false
		cells := newGrid(boxes, linked, cellSize)
		for _, i := range linked {
			cells.near(boxes[i], func(j int) {
				x, y := boxes[i].overlap(boxes[j])
				if i >= j || x <= 0 || y <= 0 {
					return
				}
				moved = true
				if x < y {
					way := math.Copysign(x/2+0.5, boxes[i].x-boxes[j].x)
					boxes[i].x, boxes[j].x = boxes[i].x+way, boxes[j].x-way
				} else {
					way := math.Copysign(y/2+0.5, boxes[i].y-boxes[j].y)
					boxes[i].y, boxes[j].y = boxes[i].y+way, boxes[j].y-way
				}
			})
		}
		if !moved {
			return
		}
	}
	placed := newGrid(boxes, nil, cellSize)
	for _, i := range linked {
		for again := true; again; {
			again = false
			placed.near(boxes[i], func(j int) {
				if x, y := boxes[i].overlap(boxes[j]); x > 0 && y > 0 {
					boxes[i].y += y + 0.5
					again = true
				}
			})
		}
		placed.add(boxes[i], i)
	}
}

// below places the orphans in rows below the others.
func below(boxes []box, linked, orphans []int) {
	left, right, bottom := 0.0, 0.0, 0.0
	for _, i := range linked {
		left, right = min(left, boxes[i].x-boxes[i].half), max(right, boxes[i].x+boxes[i].half)
		bottom = max(bottom, boxes[i].bottom())
	}
	const step = maxLabel + 20
	row := max(60, (right-left)/70) // dots are larger from far away
	columns := max(int((right-left)/step), int(math.Sqrt(float64(len(orphans))/3)), 1)
	for order, i := range orphans {
		boxes[i].x = left + step*(float64(order%columns)+0.5)
		boxes[i].y = bottom + row*(float64(order/columns)+1)
	}
}

// shortened cuts a title to what is shown of it.
func shortened(title string) string {
	if labelWidth(title) <= maxLabel {
		return title
	}
	runes := []rune(title)
	for labelWidth(string(runes)+"…") > maxLabel {
		runes = runes[:len(runes)-1]
	}
	return strings.TrimRight(string(runes), " ") + "…"
}
