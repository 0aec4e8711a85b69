package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/tools"
)

func newPromoteCommand(flags *flags) *cobra.Command {
	var asJSON bool
	command := &cobra.Command{
		Use:   "promote DOCUMENT LEVEL",
		Short: "Make a document more or less prominent",
		Long: `Set the promotion level of a document, in the front matter of its file and in the index:
important documents rank higher, critical ones are considered for every answer, and
standard undoes both. Nothing else in the file changes.

DOCUMENT is relative to the repository or to csharp-compounding-docs/, or absolute.`,
		Example: `  compound-docs promote problems/pool-exhausted-20260115.md critical
  compound-docs promote problems/pool-exhausted-20260115.md standard`,
		Args: needs(2, 2, "a document and its level ("+joined(rag.Levels())+")", "compound-docs promote problems/example.md important"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return withProject(cmd, flags, func(ctx context.Context, t *tooling) error {
				return t.promote(ctx, args[0], args[1], asJSON)
			})
		},
		ValidArgsFunction: func(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
			if len(args) == 1 {
				return names(rag.Levels()), cobra.ShellCompDirectiveNoFileComp
			}
			return completeMarkdown(cmd, args, typed)
		},
	}
	addJSON(command, &asJSON)
	return command
}

func (t *tooling) promote(ctx context.Context, given, level string, asJSON bool) error {
	path, err := documentPath(given)
	if err != nil {
		return err
	}
	promoted, err := t.calls.Promote(ctx, tools.PromoteInput{DocumentPath: path, PromotionLevel: level})
	if err != nil {
		return err
	}
	if asJSON {
		return printJSON(t.stdout, promoted)
	}
	fmt.Fprintf(t.stdout, "%s: %s, was %s\n", promoted.DocumentPath, promoted.NewLevel, promoted.PreviousLevel)
	return nil
}
