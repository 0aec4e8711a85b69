package main

import (
	"github.com/spf13/cobra"

	"github.com/compound-docs/compound-docs/internal/docset"
	"github.com/compound-docs/compound-docs/internal/plain"
	"github.com/compound-docs/compound-docs/rag/catalog"
)

func newGraphCommand(flags *flags) *cobra.Command {
	return &cobra.Command{
		Use:   "graph",
		Short: "Draw the links between documents",
		Long: `Draw the project's own documents and the links between them, from the files alone: a Mermaid
flowchart, for a block in markdown, which GitHub shows.

Promoted documents have a double frame. Documents without links have a dashed outline, and those
that no longer hold are grey and say why. A dashed arrow says "supersedes" or "amends". Documents
that are not valid are left out.`,
		Example: "  compound-docs graph",
		RunE:    flags.run(invocation.graph),
	}
}

func (i invocation) graph() error {
	p, err := i.loadHere()
	if err != nil {
		return err
	}
	set, err := docset.Read(i.command.Context(), p)
	if err != nil {
		return err
	}
	drawn := set.Graph(catalog.Today())
	if i.json {
		return plain.JSON(i.stdout, drawn)
	}
	return drawn.Mermaid(i.stdout)
}
