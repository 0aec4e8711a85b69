package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/compound-docs/compound-docs/tools"
)

// deleteFlags are the arguments of delete_documents, and what the command has beside them.
type deleteFlags struct {
	branch, pathHash    string
	dryRun, yes, asJSON bool
}

func newDeleteCommand(flags *flags) *cobra.Command {
	var f deleteFlags
	command := &cobra.Command{
		Use:   "delete PROJECT_NAME",
		Short: "Delete documents of a project from the index",
		Long: `Delete a project's own documents from the index, by branch or by checkout: for branches
and worktrees that are gone. compound-docs cleanup finds those by itself. Files and
external docs stay. A checkout that a server has open is deactivated there; the next
compound-docs search or sync in it, or activate_project, brings it back.

On a terminal the command says what it would delete, and asks. Elsewhere give --yes, or
--dry-run.`,
		Example: `  compound-docs delete my-project --branch-name feature/old --dry-run
  compound-docs delete my-project --branch-name feature/old --yes`,
		Args: needs(1, 1, "the name of the project", "compound-docs delete my-project --branch-name feature/old --dry-run"),
		RunE: func(cmd *cobra.Command, args []string) error {
			in := tools.DeleteInput{
				ProjectName: args[0], BranchName: optional(cmd, "branch-name", &f.branch),
				PathHash: optional(cmd, "path-hash", &f.pathHash), DryRun: &f.dryRun,
			}
			if !f.dryRun && !f.yes && (f.asJSON || !isTerminal(cmd.InOrStdin())) {
				return usagef("nothing was deleted; give --dry-run to see what would be, or --yes")
			}
			return withProject(cmd, flags, func(ctx context.Context, t *tooling) error { return f.run(ctx, t, in, cmd.InOrStdin()) })
		},
	}
	set := command.Flags()
	set.StringVar(&f.branch, "branch-name", "", "only this branch (default: all)")
	set.StringVar(&f.pathHash, "path-hash", "", "only the checkout with this path hash, which sync --json names (default: all)")
	set.BoolVar(&f.dryRun, "dry-run", false, "count what would be deleted, and delete nothing")
	set.BoolVarP(&f.yes, "yes", "y", false, "ask nothing")
	addJSON(command, &f.asJSON)
	return command
}

func (f *deleteFlags) run(ctx context.Context, t *tooling, in tools.DeleteInput, stdin io.Reader) error {
	if !f.dryRun && !f.yes {
		preview := in
		preview.DryRun = new(true)
		counted, err := t.calls.Delete(ctx, preview)
		if err != nil {
			return err
		}
		printDeleted(t.stdout, counted)
		fmt.Fprint(t.stderr, "Delete? [y/N] ")
		answer, err := bufio.NewReader(stdin).ReadString('\n')
		if answer = strings.ToLower(strings.TrimSpace(answer)); answer != "y" && answer != "yes" {
			fmt.Fprintln(t.stdout, "nothing was deleted")
			return ignoreEOF(err)
		}
	}
	deleted, err := t.calls.Delete(ctx, in)
	if err != nil {
		return err
	}
	if f.asJSON {
		return printJSON(t.stdout, deleted)
	}
	printDeleted(t.stdout, deleted)
	return nil
}

// ignoreEOF is for a question that nobody answers.
func ignoreEOF(err error) error {
	if err == io.EOF { //nolint:errorlint // a reader returns it as it is
		return nil
	}
	return err
}

func printDeleted(w io.Writer, deleted tools.DeleteOutput) {
	verb, documents := "deleted", deleted.DeletedCount
	if deleted.DryRun {
		verb, documents = "would delete", deleted.WouldDeleteCount
	}
	where := "all branches"
	if deleted.BranchName != nil {
		where = "branch " + *deleted.BranchName
	}
	if deleted.PathHash != nil {
		where += ", checkout " + *deleted.PathHash
	}
	fmt.Fprintf(w, "%s %s of %s, %s\n", verb, count(*documents, "document"), deleted.ProjectName, where)
}
