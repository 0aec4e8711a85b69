package main

import (
	"github.com/spf13/cobra"

	"github.com/compound-docs/compound-docs/internal/docset"
	"github.com/compound-docs/compound-docs/internal/plain"
	"github.com/compound-docs/compound-docs/rag/catalog"
)

// graphFormats are the values of --format.
func graphFormats() []string { return []string{"dot", "mermaid"} }

func newGraphCommand(flags *flags) *cobra.Command {
	var format string
	command := &cobra.Command{
		Use:   "graph",
		Short: "Draw the links between documents",
		Long: `Draw the project's own documents and the links between them, from the files alone. "dot" is
for Graphviz, "mermaid" for a block in markdown, which GitHub shows.

Each doc-type has a colour, and promoted documents are larger. Documents without links have a
dashed outline, and those that no longer hold are grey and say why. An arrow with two heads
means links in both directions, a dashed one says "supersedes" or "amends". Documents that are
not valid are left out; compound-docs lint names them.`,
		Example: `  compound-docs graph --format mermaid
  compound-docs graph | dot -Tsvg -o knowledge.svg`,
		RunE: flags.run(func(i invocation) error { return i.graph(format) }),
	}
	command.Flags().StringVar(&format, "format", "dot", "dot or mermaid")
	complete(command, "format", graphFormats()...)
	exclude(command, "json", "format")
	return command
}

func (i invocation) graph(format string) error {
	if err := checkFlag("format", format, graphFormats()); err != nil {
		return err
	}
	p, err := i.loadHere()
	if err != nil {
		return err
	}
	set, err := docset.Read(i.command.Context(), p)
	if err != nil {
		return err
	}
	drawn := set.Graph(catalog.Today())
	switch {
	case i.json:
		return plain.JSON(i.stdout, drawn)
	case format == "mermaid":
		return drawn.Mermaid(i.stdout)
	default:
		return drawn.DOT(i.stdout)
	}
}
