package main

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/compound-docs/compound-docs/internal/plain"
)

func newRetireCommand(flags *flags) *cobra.Command {
	var by string
	command := &cobra.Command{
		Use:   "retire DOCUMENT",
		Short: "Say in a document that it no longer holds",
		Long: `Write the line "status: superseded by NEW" into the front matter of a document, or
"status: deprecated" without --by. Nothing else in the file changes.

DOCUMENT is relative to the repository or to csharp-compounding-docs/, or absolute. NEW is a
document too, and may also be relative to the folder of DOCUMENT.`,
		Example: `  compound-docs retire problems/db-pool-exhaustion-20250115.md --by n-plus-one-shipments-20260114.md
  compound-docs retire problems/db-pool-exhaustion-20250115.md`,
		Args: needs(1, 1, "the document that no longer holds",
			"compound-docs retire docs/adr/0007-cache.md --by docs/adr/0012-cache.md"),
		RunE: withProject(flags, func(t *tooling) error { return t.retire(by) }),
	}
	command.Flags().StringVar(&by, "by", "", "the document that replaces it")
	return command
}

func (t *tooling) retire(by string) error {
	document, err := documentPath(t.args[0])
	if err != nil {
		return err
	}
	if by != "" {
		by, err = documentPath(by)
		if err != nil {
			return err
		}
	}
	active, err := t.workspace.Active(t.command.Context())
	if err != nil {
		return err
	}
	retired, err := active.Retire(t.command.Context(), document, by)
	if err != nil {
		return err
	}
	answer := map[string]string{"path": retired.Path, "status": retired.Status}
	if retired.By != "" {
		answer["superseded_by"] = retired.By
	}
	return t.print(answer, func(w io.Writer) {
		plain.Printf(w, "%s: status: %s\n", plain.Path(retired.Path), retired.Status)
	})
}
