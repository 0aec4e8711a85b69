package main

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/compound-docs/compound-docs/internal/plain"
	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/tools"
)

func newPromoteCommand(flags *flags) *cobra.Command {
	return &cobra.Command{
		Use:   "promote DOCUMENT LEVEL",
		Short: "Make a document more or less prominent",
		Long: `Set the promotion level of a document, in the front matter of its file and in the index.
Important documents rank higher, critical ones are considered for every answer, and
standard undoes both. Nothing else in the file changes.

DOCUMENT is relative to the repository or to csharp-compounding-docs/, or absolute.`,
		Example: `  compound-docs promote problems/db-pool-exhaustion-20250115.md critical
  compound-docs promote problems/db-pool-exhaustion-20250115.md standard`,
		Args: needs(2, 2, "a document and its level ("+joined(catalog.Levels())+")",
			"compound-docs promote problems/example.md important"),
		RunE: withProject(flags, (*tooling).promote),
	}
}

func (t *tooling) promote() error {
	path, err := documentPath(t.args[0])
	if err != nil {
		return err
	}
	promote, ctx := (*tools.Handler).UpdatePromotionLevel, t.command.Context()
	promoted, err := tools.Run(ctx, t.tools, "update_promotion_level", promote, tools.UpdatePromotionLevelInput{
		DocumentPath: path, PromotionLevel: catalog.Level(t.args[1]),
	})
	if err != nil {
		return err
	}
	return t.print(promoted, func(w io.Writer) {
		plain.Printf(w, "%s: %s, was %s\n", plain.Path(promoted.DocumentPath), promoted.NewLevel, promoted.PreviousLevel)
	})
}
