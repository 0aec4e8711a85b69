package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/compound-docs/compound-docs/internal/docset"
	"github.com/compound-docs/compound-docs/internal/linkgraph"
	"github.com/compound-docs/compound-docs/internal/plain"
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
dashed outline. An arrow with two heads means links in both directions, a dashed one means
supersedes. Documents that are not valid are left out; compound-docs lint names them.`,
		Example: `  compound-docs graph --format mermaid
  compound-docs graph | dot -Tsvg -o knowledge.svg`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return newInvocation(cmd, args).graph(flags, format)
		},
	}
	command.Flags().StringVar(&format, "format", "dot", "dot or mermaid")
	complete(command, "format", graphFormats()...)
	exclude(command, "json", "format")
	return command
}

func (i invocation) graph(flags *flags, format string) error {
	if !slices.Contains(graphFormats(), format) {
		return usagef("--format is %q; give one of %s", format, strings.Join(graphFormats(), ", "))
	}
	p, err := flags.loadHere()
	if err != nil {
		return err
	}
	set, err := docset.Read(i.command.Context(), p)
	if err != nil {
		return err
	}
	drawn := linkgraph.New(set)
	switch {
	case i.json:
		return plain.JSON(i.stdout, drawn)
	case format == "mermaid":
		return drawn.Mermaid(i.stdout)
	default:
		return drawn.DOT(i.stdout)
	}
}
