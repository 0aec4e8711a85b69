package linkgraph

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"math"
	"slices"

	"github.com/compound-docs/compound-docs/rag"
)

//go:embed page.html
var pageSource string

// page has the data of page.html.
type page struct {
	Title                    string
	Nodes                    []pageNode
	Edges                    []pageEdge
	Types                    []legend
	Left, Top, Width, Height float64
	Circles, Orphans         int
	Links                    int
	// Large hides labels while they are too small to be read.
	Large bool
}

type pageNode struct {
	Node

	X, Y, Radius, LabelY float64
	Label                string
	Class                string
	Middle               bool
}

type pageEdge struct {
	From, To       int
	X1, Y1, X2, Y2 float64
	Class          string
	Mutual         bool
}

type legend struct {
	Name, Class string
	Count       int
}

// manyNodes is more than a page shows legibly at once.
const manyNodes = 60

// HTML writes a page that needs no other file.
func (g *Graph) HTML(w io.Writer, title string) error {
	parsed, err := template.New("page").Parse(pageSource)
	if err != nil {
		return fmt.Errorf("read the page: %w", err)
	}
	p := page{Title: title, Links: len(g.Edges), Large: len(g.Nodes) > manyNodes}
	types := g.docTypes()
	for i, name := range types {
		p.Types = append(p.Types, legend{Name: name, Class: typeClass(i)})
	}
	boxes := g.layout()
	for i, n := range g.Nodes {
		b, docType := boxes[i], slices.Index(types, n.DocType)
		node := pageNode{
			Node: n, X: round(b.x), Y: round(b.y), Radius: b.radius, LabelY: round(b.y + b.radius + lineHeight - 3),
			Label: b.label, Class: typeClass(docType), Middle: n.Path == g.Around,
		}
		p.Types[docType].Count++
		if n.InCircle {
			node.Class += " circle"
			p.Circles++
		}
		if n.Orphan {
			node.Class += " orphan"
			p.Orphans++
		}
		if n.Level != rag.Standard {
			node.Class += " promoted"
		}
		p.Nodes = append(p.Nodes, node)
	}
	for _, e := range g.Edges {
		p.Edges = append(p.Edges, drawnEdge(e, boxes))
	}
	p.frame(boxes)
	if err := parsed.Execute(w, p); err != nil {
		return fmt.Errorf("write the page: %w", err)
	}
	return nil
}

// frame sets the part of the plane that has all boxes.
func (p *page) frame(boxes []box) {
	left, top, right, bottom := math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)
	for _, b := range boxes {
		left, right = min(left, b.x-b.half), max(right, b.x+b.half)
		top, bottom = min(top, b.top()), max(bottom, b.bottom())
	}
	if len(boxes) == 0 {
		left, top, right, bottom = 0, 0, 1, 1
	}
	margin := max(20, (right-left)/70)
	p.Left, p.Top = round(left-margin), round(top-margin)
	p.Width, p.Height = round(right-left+2*margin), round(bottom-top+2*margin)
}

// drawnEdge returns a line from the rim of one node to the rim of the other.
func drawnEdge(e Edge, boxes []box) pageEdge {
	from, to := boxes[e.From], boxes[e.To]
	dx, dy := to.x-from.x, to.y-from.y
	length := max(math.Hypot(dx, dy), 1)
	dx, dy = dx/length, dy/length
	const arrow = 3
	drawn := pageEdge{
		From: e.From, To: e.To, Mutual: e.Mutual,
		X1: round(from.x + dx*(from.radius+arrow)), Y1: round(from.y + dy*(from.radius+arrow)),
		X2: round(to.x - dx*(to.radius+arrow)), Y2: round(to.y - dy*(to.radius+arrow)),
	}
	if e.InCircle {
		drawn.Class = "circle"
	}
	if e.Supersedes {
		drawn.Class += " supersedes"
	}
	return drawn
}

// typeClass is the style of a doc-type. There are as many as there are colours.
func typeClass(docType int) string { return fmt.Sprintf("t%d", docType%len(colours())) }

func round(x float64) float64 { return math.Round(x*10) / 10 }
