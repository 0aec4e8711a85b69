package main

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"github.com/compound-docs/compound-docs/internal/plain"
)

func newReindexCommand(flags *flags) *cobra.Command {
	return &cobra.Command{
		Use:   "reindex",
		Short: "Index a project's documents again from their files",
		Long: `Index the documents of a project again from their files.

The project is the one of the working directory, or of --project, on the branch
that is checked out. A document stays in the index as it was until it is replaced,
so that answers lack nothing meanwhile, also if the command is ended early. Text
that the present embedding model has embedded before is not embedded again. After a
change of the model the command is not needed: a running server embeds all documents
again by itself, and they are found by their words meanwhile.`,
		Example: "  compound-docs reindex\n  compound-docs reindex --project ~/my-project --json",
		RunE:    withProject(flags, (*tooling).reindex),
	}
}

// reindexed says for --json what compound-docs reindex has done.
type reindexed struct {
	ProjectName string         `json:"project_name"`
	BranchName  string         `json:"branch_name"`
	Folders     []syncedFolder `json:"folders"`
}

func (t *tooling) reindex(ctx context.Context) error {
	result, err := t.workspace.Reindex(ctx, func(folder string) func(done, total int) { return showProgress(t.stderr, folder) })
	if err != nil {
		return err
	}
	out := reindexed{ProjectName: result.Tenant.Project, BranchName: result.Tenant.Branch, Folders: []syncedFolder{}}
	for _, folder := range result.Folders {
		out.Folders = append(out.Folders, newSyncedFolder(folder.Name, folder.SyncResult))
	}
	return t.print(out, func(w io.Writer) {
		plain.Printf(w, "reindexed %s on branch %s\n", out.ProjectName, out.BranchName)
		for _, folder := range out.Folders {
			folder.print(w)
		}
	})
}
