package docset

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/compound-docs/compound-docs/internal/plain"
)

// colours returns the fill of each doc-type; dark text is read on all of them.
func colours() []string {
	return []string{"#9ecae9", "#ffbf79", "#88d27a", "#f2cf5b", "#d6a5c9", "#8ad6c9", "#c5b0d5", "#d8b5a5", "#bab0ac"}
}

// DOT writes the graph for Graphviz. The same graph gives the same text.
func (g *Graph) DOT(w io.Writer) error {
	quote := func(text string) string { return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text) + `"` }
	var text strings.Builder
	text.WriteString("strict digraph {\n\toverlap=false;\n\tnode [ shape=box, color=\"#555555\" ];\n")
	types := g.docTypes()
	for _, n := range g.Nodes {
		style := "filled,rounded"
		if n.Orphan {
			style += ",dashed"
		}
		fmt.Fprintf(&text, "\t%s [ label=%s, style=%q, fillcolor=%q, fontsize=%d ];\n",
			quote(plain.Path(n.Path)), quote(plain.Line(n.label())), style,
			colours()[slices.Index(types, n.DocType)%len(colours())], 12+6*n.size())
	}
	for _, e := range g.Edges {
		from, to, attributes := g.Nodes[e.From].Path, g.Nodes[e.To].Path, ""
		if e.Mutual {
			attributes += "dir=both "
		}
		if e.Supersedes {
			attributes += "style=dashed label=supersedes "
		}
		fmt.Fprintf(&text, "\t%s -> %s [ %s];\n", quote(plain.Path(from)), quote(plain.Path(to)), attributes)
	}
	text.WriteString("}\n")
	_, err := io.WriteString(w, text.String())
	return err
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
		fmt.Fprintf(&text, "  n%d%s%s%s:::%s\n", i, open, escape(plain.Line(n.label())), shut, classes)
		if n.Orphan {
			fmt.Fprintf(&text, "  style n%d stroke-dasharray:4\n", i)
		}
	}
	for _, e := range g.Edges {
		arrow := "-->"
		switch {
		case e.Supersedes:
			arrow = "-. supersedes .->"
		case e.Mutual:
			arrow = "<-->"
		}
		fmt.Fprintf(&text, "  n%d %s n%d\n", e.From, arrow, e.To)
	}
	for i, docType := range types {
		fmt.Fprintf(&text, "  %%%% %s\n  classDef t%d fill:%s,color:#111\n", docType, i%len(colours()), colours()[i%len(colours())])
	}
	_, err := io.WriteString(w, text.String())
	return err
}
