package main

import (
	"context"
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"
)

func newDocTypesCommand(flags *flags) *cobra.Command {
	var asJSON bool
	command := &cobra.Command{
		Use:     "doc-types",
		Short:   "List the doc-types of the project",
		Long:    `List the doc-types of the project, with their folders and how many documents each has.`,
		Example: "  compound-docs doc-types\n  compound-docs doc-types --json",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return withProject(cmd, flags, func(ctx context.Context, t *tooling) error { return t.listDocTypes(ctx, asJSON) })
		},
	}
	addJSON(command, &asJSON)
	return command
}

func (t *tooling) listDocTypes(ctx context.Context, asJSON bool) error {
	list, err := t.calls.DocTypes(ctx)
	if err != nil {
		return err
	}
	t.sayWhatIsMissing(list.Index, "")
	if asJSON {
		return printJSON(t.stdout, list)
	}
	table := tabwriter.NewWriter(t.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "doc-type\tdocuments\tfolder\tfor")
	for _, d := range list.DocTypes {
		fmt.Fprintf(table, "%s\t%d\t%s\t%s\n", d.Name, d.DocCount, d.Folder, d.Description)
	}
	if err := table.Flush(); err != nil {
		return fmt.Errorf("print the doc-types: %w", err)
	}
	return nil
}
