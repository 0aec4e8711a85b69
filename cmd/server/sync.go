package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/compound-docs/compound-docs/internal/plain"
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

The exit code is 0 if every passage has a vector of the model that Ollama has now. Else it
is 1, and the command says how many have none: the database or Ollama does not answer, or
the model refuses a text. What was done until then stays. A file that cannot be a document
is named, and is no reason to fail.`,
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
	text, err := t.caller.Sync(ctx, showSync(t.stderr))
	if text == "" {
		return err
	}
	show := printSyncedProject
	if asJSON {
		show = func(w io.Writer, text string) error { return plain.JSON(w, json.RawMessage(text)) }
	}
	return errors.Join(show(t.stdout, text), err)
}

// showSync returns a function that tells w how far a sync is. A folder leaves the counts of a
// status when it is done, so the total is the largest so far; it is shown from when all folders
// were looked at, as far as that is known: when a file was indexed.
func showSync(w io.Writer) func(workspace.Status) {
	files, passages := showProgress(w, "files"), showProgress(w, "passages")
	var total int
	var lastFiles, lastPassages progress
	return func(status workspace.Status) {
		total = max(total, status.Total)
		if now := (progress{total - (status.Total - status.Done), total}); now != lastFiles && now.done > 0 {
			lastFiles = now
			files(now.done, now.total)
		}
		now := progress{status.Passages - status.Embedding, status.Passages}
		if status.Pending() > 0 || now == lastPassages || lastPassages.total == 0 && now.done == now.total {
			return // everything was done before
		}
		if lastPassages = now; !status.Synced.IsZero() { // else there may be more
			passages(now.done, now.total)
		}
	}
}

// progress counts what was handled, and all there is.
type progress struct{ done, total int }

func printSyncedProject(w io.Writer, answer string) error {
	var synced struct {
		ProjectName string             `json:"project_name"`
		BranchName  string             `json:"branch_name"`
		TotalDocs   int                `json:"total_docs"`
		Index       *tools.IndexStatus `json:"index"`
	}
	if err := json.Unmarshal([]byte(answer), &synced); err != nil {
		return fmt.Errorf("read the answer: %w", err)
	}
	plain.Printf(w, "%s on branch %s: %s in the index\n",
		synced.ProjectName, synced.BranchName, plain.Count(synced.TotalDocs, "document"))
	if synced.Index == nil {
		return nil
	}
	if synced.Index.Embedding > 0 {
		plain.Printf(w, "  %s without a vector\n", plain.Count(synced.Index.Embedding, "passage"))
	}
	for _, failed := range synced.Index.Failed {
		plain.Printf(w, "  %s: %s\n", plain.Path(failed.Path), inCommands(failed.Reason))
	}
	if more := synced.Index.FailedCount - len(synced.Index.Failed); more > 0 {
		plain.Printf(w, "  and %s more that cannot be indexed\n", plain.Count(more, "file"))
	}
	return nil
}
