package linkgraph

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/dominikbraun/graph"
	"github.com/dominikbraun/graph/draw"

	"github.com/compound-docs/compound-docs/internal/plain"
)

// colours returns the fill of each doc-type for formats that have no light and dark: a
// dark text is read on all of them.
func colours() []string {
	return []string{"#9ecae9", "#ffbf79", "#88d27a", "#f2cf5b", "#d6a5c9", "#8ad6c9", "#c5b0d5", "#d8b5a5", "#bab0ac"}
}

const circleColour = "#d62728"

// DOT writes the graph for Graphviz. The same graph gives the same text.
func (g *Graph) DOT(w io.Writer) error {
	// The library writes keys and values between double quotes as they are.
	escape := strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace
	name := func(n Node) string { return escape(plain.Path(n.Path)) }
	drawn := graph.New(graph.StringHash, graph.Directed())
	types := g.docTypes()
	for _, n := range g.Nodes {
		style, outline := "filled,rounded", "#555555"
		if n.Orphan {
			style = "filled,rounded,dashed"
		}
		if n.InCircle {
			outline = circleColour
		}
		if err := drawn.AddVertex(name(n),
			graph.VertexAttribute("label", escape(plain.Line(n.Title))), graph.VertexAttribute("shape", "box"),
			graph.VertexAttribute("style", style), graph.VertexAttribute("color", outline),
			graph.VertexAttribute("fillcolor", colours()[slices.Index(types, n.DocType)%len(colours())]),
			graph.VertexAttribute("fontsize", strconv.Itoa(12+6*n.size())),
		); err != nil {
			return fmt.Errorf("draw %s: %w", n.Path, err)
		}
	}
	for _, e := range g.Edges {
		attributes := []func(*graph.EdgeProperties){}
		if e.Mutual {
			attributes = append(attributes, graph.EdgeAttribute("dir", "both"))
		}
		if e.Supersedes {
			attributes = append(attributes, graph.EdgeAttribute("style", "dashed"), graph.EdgeAttribute("label", "supersedes"))
		}
		if e.InCircle {
			attributes = append(attributes, graph.EdgeAttribute("color", circleColour))
		}
		if err := drawn.AddEdge(name(g.Nodes[e.From]), name(g.Nodes[e.To]), attributes...); err != nil {
			return fmt.Errorf("draw a link: %w", err)
		}
	}
	var text bytes.Buffer
	if err := draw.DOT(drawn, &text, draw.GraphAttribute("overlap", "false")); err != nil {
		return fmt.Errorf("draw the links: %w", err)
	}
	_, err := io.WriteString(w, sorted(text.String()))
	return err
}

// sorted sorts the statements of a text in DOT, which the library writes in any order.
func sorted(dot string) string {
	var statements, others []string
	for line := range strings.Lines(dot) {
		switch {
		case strings.TrimSpace(line) == "":
		case strings.HasPrefix(line, "\t\""):
			statements = append(statements, line)
		default:
			others = append(others, line)
		}
	}
	slices.Sort(statements)
	end := len(others) - 1 // the closing brace
	return strings.Join(slices.Concat(others[:end], statements, others[end:]), "")
}

// Mermaid writes the graph as a flowchart.
func (g *Graph) Mermaid(w io.Writer) error {
	var text strings.Builder
	text.WriteString("flowchart LR\n")
	escape := strings.NewReplacer("#", "#35;", `"`, "#quot;", "<", "#lt;", ">", "#gt;", "`", "#96;").Replace
	types := g.docTypes()
	for i, n := range g.Nodes {
		open, shut := `["`, `"]`
		if n.size() > 0 {
			open, shut = `[["`, `"]]`
		}
		classes := fmt.Sprintf("t%d", slices.Index(types, n.DocType)%len(colours()))
		fmt.Fprintf(&text, "  n%d%s%s%s:::%s\n", i, open, escape(plain.Line(n.Title)), shut, classes)
		if n.Orphan {
			fmt.Fprintf(&text, "  style n%d stroke-dasharray:4\n", i)
		}
	}
	var circles []string
	for i, e := range g.Edges {
		arrow := "-->"
		switch {
		case e.Supersedes:
			arrow = "-. supersedes .->"
		case e.Mutual:
			arrow = "<-->"
		}
		fmt.Fprintf(&text, "  n%d %s n%d\n", e.From, arrow, e.To)
		if e.InCircle {
			circles = append(circles, strconv.Itoa(i))
		}
	}
	for i, docType := range types {
		fmt.Fprintf(&text, "  %%%% %s\n  classDef t%d fill:%s,color:#111\n", docType, i%len(colours()), colours()[i%len(colours())])
	}
	if len(circles) > 0 {
		fmt.Fprintf(&text, "  linkStyle %s stroke:%s\n", strings.Join(circles, ","), circleColour)
	}
	_, err := io.WriteString(w, text.String())
	return err
}
