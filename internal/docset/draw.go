package docset

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/compound-docs/compound-docs/internal/plain"
	"github.com/compound-docs/compound-docs/rag/catalog"
)

// colours returns the fill of each doc-type; dark text is read on all of them.
func colours() []string {
	return []string{"#9ecae9", "#ffbf79", "#88d27a", "#f2cf5b", "#d6a5c9", "#8ad6c9", "#c5b0d5", "#d8b5a5", "#bab0ac"}
}

// fallen is the fill of a document that does not hold.
const fallen = "#eeeeee"

// Mermaid writes the graph as a flowchart. The same graph gives the same text.
func (g *Graph) Mermaid(w io.Writer) error {
	var text strings.Builder
	text.WriteString("flowchart LR\n")
	escape := strings.NewReplacer("#", "#35;", `"`, "#quot;", "<", "#lt;", ">", "#gt;", "`", "#96;").Replace
	types := g.docTypes()
	for i, n := range g.Nodes {
		open, shut := `["`, `"]`
		if n.Level != catalog.Standard {
			open, shut = `[["`, `"]]`
		}
		classes := fmt.Sprintf("t%d", slices.Index(types, n.DocType)%len(colours()))
		fmt.Fprintf(&text, "  n%d%s%s%s:::%s\n", i, open, escape(plain.Line(n.label())), shut, classes)
		if n.Orphan {
			fmt.Fprintf(&text, "  style n%d stroke-dasharray:4\n", i)
		}
		if !n.Holds {
			fmt.Fprintf(&text, "  style n%d fill:%s\n", i, fallen)
		}
	}
	for _, e := range g.Edges {
		arrow := "-->"
		switch {
		case e.Supersedes:
			arrow = "-. supersedes .->"
		case e.Amends:
			arrow = "-. amends .->"
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
