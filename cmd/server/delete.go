package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"github.com/compound-docs/compound-docs/internal/plain"
	"github.com/compound-docs/compound-docs/tools"
)

// deleteFlags are the arguments of delete_documents, and the command's own flags.
type deleteFlags struct {
	asker

	branch, pathHash string
	dryRun           bool
}

func newDeleteCommand(flags *flags) *cobra.Command {
	var f deleteFlags
	command := &cobra.Command{
		Use:   "delete PROJECT_NAME",
		Short: "Delete documents of a project from the index",
		Long: `Delete a project's own documents from the index, by branch or by checkout: for branches
and worktrees that are gone. Of several checkouts with the project's name it takes this
one, unless --path-hash names another one, or all; it says which, by path. compound-docs cleanup finds those by itself. Files and
external docs stay. A checkout that a server has open is deactivated there; the next
compound-docs search or sync in it, or activate_project, brings it back.

On a terminal the command says what it would delete, and asks. Elsewhere give --yes, or
--dry-run.`,
		Example: `  compound-docs delete my-project --branch-name feature/old --dry-run
  compound-docs delete my-project --branch-name feature/old --yes`,
		Args: needs(1, 1, "the name of the project", "compound-docs delete my-project --branch-name feature/old --dry-run"),
		RunE: func(cmd *cobra.Command, args []string) error {
			f.asker = newAsker(cmd, args, f.yes)
			arguments := map[string]any{
				"project_name": args[0], "branch_name": optional(cmd, "branch-name", &f.branch),
				"path_hash": optional(cmd, "path-hash", &f.pathHash), "dry_run": f.dryRun,
			}
			if !f.dryRun && !f.yes && (f.json || !plain.IsTerminal(cmd.InOrStdin())) {
				return usagef("nothing was deleted; give --dry-run to see what would be, or --yes")
			}
			return withProject(flags, func(t *tooling, ctx context.Context) error { return f.run(ctx, t, arguments) })(cmd, args)
		},
	}
	set := command.Flags()
	set.StringVar(&f.branch, "branch-name", "", "only this branch (default: all)")
	set.StringVar(&f.pathHash, "path-hash", "",
		"only the checkout with this path hash, which sync --json names, or all (default: this one, if it is among them)")
	set.BoolVar(&f.dryRun, "dry-run", false, "count what would be deleted, and delete nothing")
	set.BoolVarP(&f.yes, "yes", "y", false, "ask nothing")
	return command
}

func (f *deleteFlags) run(ctx context.Context, t *tooling, arguments map[string]any) error {
	if err := f.checkProject(ctx, t, arguments); err != nil {
		return err
	}
	if !f.dryRun && !f.yes {
		preview := maps.Clone(arguments)
		preview["dry_run"] = true
		if err := f.delete(ctx, t, preview); err != nil {
			return err
		}
		if !f.may("Delete?") {
			plain.Printf(t.stdout, "nothing was deleted\n")
			return nil
		}
	}
	return f.delete(ctx, t, arguments)
}

// checkProject returns an error if the project is not in the index.
func (f *deleteFlags) checkProject(ctx context.Context, t *tooling, arguments map[string]any) error {
	projects, err := t.index.Projects(ctx)
	if err != nil || slices.Contains(projects, fmt.Sprint(arguments["project_name"])) {
		return err
	}
	preview := maps.Clone(arguments)
	preview["dry_run"] = true
	if _, err := t.call(ctx, "delete_documents", preview, &tools.DeleteDocumentsOutput{}); err != nil {
		return err // it says what is wrong with the name
	}
	return usagef("the index has no project %s; it has %s", arguments["project_name"], plain.Some(projects, maxNamedProjects))
}

// maxNamedProjects bounds how many projects are named where another one is asked for.
const maxNamedProjects = 10

func (f *deleteFlags) delete(ctx context.Context, t *tooling, arguments map[string]any) error {
	var deleted tools.DeleteDocumentsOutput
	return t.show(ctx, "delete_documents", arguments, &deleted, func(w io.Writer) { printDeleted(w, deleted) })
}

func printDeleted(w io.Writer, d tools.DeleteDocumentsOutput) {
	verb, documents := "deleted", d.DeletedCount
	if d.DryRun {
		verb, documents = "would delete", d.WouldDeleteCount
	}
	where := "all branches"
	if d.BranchName != nil {
		where = "branch " + *d.BranchName
	}
	if d.PathHash != nil {
		where += ", checkout " + *d.PathHash
	}
	plain.Printf(w, "%s %s of %s, %s\n", verb, plain.Count(*documents, "document"), d.ProjectName, where)
	if d.Message != "" {
		plain.Println(w, d.Message)
	}
}
