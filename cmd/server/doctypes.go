package main

import (
	"context"
	"encoding/json"
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/compound-docs/compound-docs/internal/plain"

	"github.com/compound-docs/compound-docs/tools"
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
	var list struct {
		DocTypes []struct {
			Name        string `json:"name"`
			Description string `json:"description"`
			Folder      string `json:"folder"`
			DocCount    int    `json:"doc_count"`
		} `json:"doc_types"`
		Index *tools.IndexStatus `json:"index"`
	}
	text, err := t.call(ctx, "list_doc_types", nil, &list)
	if err != nil {
		return err
	}
	t.sayWhatIsMissing(list.Index, "")
	if asJSON {
		return plain.JSON(t.stdout, json.RawMessage(text))
	}
	table := tabwriter.NewWriter(t.stdout, 0, 0, 2, ' ', 0)
	plain.Printf(table, "doc-type\tdocuments\tfolder\tfor\n")
	for _, d := range list.DocTypes {
		plain.Printf(table, "%s\t%d\t%s\t%s\n", d.Name, d.DocCount, d.Folder, d.Description)
	}
	if err := table.Flush(); err != nil {
		return fmt.Errorf("print the doc-types: %w", err)
	}
	return nil
}
