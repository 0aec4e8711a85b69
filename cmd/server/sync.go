package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/compound-docs/compound-docs/internal/workspace"
	"github.com/compound-docs/compound-docs/tools"
)

func newSyncCommand(flags *flags) *cobra.Command {
	var asJSON bool
	command := &cobra.Command{
		Use:   "sync",
		Short: "Bring the index of the project up to date, vectors included",
		Long: `Bring the index of the project's present branch up to date with its files, and wait until
every passage has a vector. If another process indexes the project, such as a server,
the command waits for that one.

A document that cannot be indexed is named, and the exit code is 0 all the same. It is 1 if
the database or Ollama does not answer; what was done until then stays.`,
		Example: "  compound-docs sync\n  compound-docs sync --project ~/my-project --json",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return withProject(cmd, flags, func(ctx context.Context, t *tooling) error { return t.sync(ctx, asJSON) })
		},
	}
	addJSON(command, &asJSON)
	return command
}

func (t *tooling) sync(ctx context.Context, asJSON bool) error {
	synced, err := t.calls.Sync(ctx, showSync(t.stderr))
	if synced.Status == "" {
		return err
	}
	if asJSON {
		if printErr := printJSON(t.stdout, synced); printErr != nil {
			return printErr
		}
		return err
	}
	printSyncedProject(t.stdout, synced)
	return err
}

// showSync returns a function that tells w how far a sync is.
func showSync(w io.Writer) func(workspace.Status) {
	files, passages := showProgress(w, "files"), showProgress(w, "passages")
	var lastFiles, lastPassages progress
	return func(status workspace.Status) {
		if now := (progress{status.Done, status.Total}); now != lastFiles && status.Total > 0 {
			lastFiles = now
			files(now.done, now.total)
		}
		now := progress{status.Passages - status.Embedding, status.Passages}
		if status.Pending() > 0 || now == lastPassages || lastPassages.total == 0 && now.done == now.total {
			return // what is already done is no news
		}
		lastPassages = now
		passages(now.done, now.total)
	}
}

// progress counts what was handled, and all there is.
type progress struct{ done, total int }

func printSyncedProject(w io.Writer, synced tools.ActivateOutput) {
	fmt.Fprintf(w, "%s on branch %s: %s in the index\n", synced.ProjectName, synced.BranchName, count(synced.TotalDocs, "document"))
	if synced.Index == nil {
		return
	}
	if synced.Index.Embedding > 0 {
		fmt.Fprintf(w, "  %s without a vector\n", count(synced.Index.Embedding, "passage"))
	}
	for _, failed := range synced.Index.Failed {
		fmt.Fprintf(w, "  %s: %s\n", failed.Path, inCommands(failed.Reason))
	}
	if more := synced.Index.FailedCount - len(synced.Index.Failed); more > 0 {
		fmt.Fprintf(w, "  and %s more that cannot be indexed\n", count(more, "file"))
	}
}
