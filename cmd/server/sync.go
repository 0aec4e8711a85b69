package main

import (
	"context"
	"errors"
	"io"

	"github.com/spf13/cobra"

	"github.com/compound-docs/compound-docs/internal/plain"
	"github.com/compound-docs/compound-docs/internal/workspace"
	"github.com/compound-docs/compound-docs/tools"
)

func newSyncCommand(flags *flags) *cobra.Command {
	return &cobra.Command{
		Use:   "sync",
		Short: "Bring the index of the project up to date, vectors included",
		Long: `Bring the index of the project's present branch up to date with its files, and wait until
every passage has a vector. If another process indexes the project, such as a server,
the command waits for that one.

The exit code is 0 if every passage has a vector of the model that Ollama has now. Else it
is 1, and the command says how many have none: the database or Ollama does not answer, or
the model refuses a text. What was done until then stays. A file that cannot be a document
is named, and is no reason to fail.`,
		Example: "  compound-docs sync\n  compound-docs sync --project ~/my-project --json",
		RunE:    withProject(flags, (*tooling).sync),
	}
}

func (t *tooling) sync(ctx context.Context) error {
	synced, err := t.caller.Sync(ctx, showSync(t.stderr))
	if synced == nil {
		return err
	}
	return errors.Join(t.print(synced, func(w io.Writer) { printSynced(w, synced) }), err)
}

// showSync returns a function that tells w how far a sync is. A folder leaves the counts of a
// status when it is done, so the total is the largest so far; it is shown from when all folders
// were looked at, as far as that is known: when a file was indexed.
func showSync(w io.Writer) func(workspace.Status) {
	files, passages := showProgress(w, "files"), showProgress(w, "passages")
	var total int
	var embeds bool // else everything was done before
	return func(status workspace.Status) {
		total = max(total, status.Total)
		if done := total - (status.Total - status.Done); done > 0 {
			files(done, total)
		}
		if status.Pending() > 0 {
			return
		}
		embeds = embeds || status.Embedding > 0
		if embeds && !status.Synced.IsZero() { // else there may be more
			passages(status.Passages-status.Embedding, status.Passages)
		}
	}
}

func printSynced(w io.Writer, s *tools.ActivateProjectOutput) {
	plain.Printf(w, "%s on branch %s: %s in the index\n", s.ProjectName, s.BranchName, plain.Count(s.TotalDocs, "document"))
	if s.Index == nil {
		return
	}
	if s.Index.Embedding > 0 {
		plain.Printf(w, "  %s without a vector\n", plain.Count(s.Index.Embedding, "passage"))
	}
	for _, failed := range s.Index.Failed {
		plain.Printf(w, "  %s: %s\n", plain.Path(failed.Path), inCommands(failed.Reason))
	}
	if more := s.Index.FailedCount - len(s.Index.Failed); more > 0 {
		plain.Printf(w, "  and %s more that cannot be indexed\n", plain.Count(more, "file"))
	}
}
