package main

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"github.com/compound-docs/compound-docs/internal/plain"
	"github.com/compound-docs/compound-docs/tools"
)

func newDocTypesCommand(flags *flags) *cobra.Command {
	return &cobra.Command{
		Use:     "doc-types",
		Short:   "List the doc-types of the project",
		Long:    `List the doc-types of the project, with their folders and how many documents each has.`,
		Example: "  compound-docs doc-types\n  compound-docs doc-types --json",
		RunE:    withProject(flags, (*tooling).listDocTypes),
	}
}

func (t *tooling) listDocTypes(ctx context.Context) error {
	var list tools.ListDocTypesOutput
	text, err := t.call(ctx, "list_doc_types", nil, &list)
	if err != nil {
		return err
	}
	t.sayWhatIsMissing(list.Index, "")
	return t.print(text, func(w io.Writer) {
		plain.Table(w, func(table io.Writer) {
			plain.Printf(table, "doc-type\tdocuments\tfolder\tfor\n")
			for _, d := range list.DocTypes {
				plain.Printf(table, "%s\t%d\t%s\t%s\n", d.Name, d.DocCount, d.Folder, d.Description)
			}
		})
	})
}
