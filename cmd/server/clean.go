package main

import (
	"context"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/compound-docs/compound-docs/internal/plain"
	"github.com/compound-docs/compound-docs/internal/project"
	"github.com/compound-docs/compound-docs/tools"
)

// cleanFlags say what to remove from the index.
type cleanFlags struct {
	branch, pathHash string
	all, dryRun, yes bool
	graceDays        uint16
}

func newCleanCommand(flags *flags) *cobra.Command {
	var f cleanFlags
	command := &cobra.Command{
		Use:   "clean [PROJECT]",
		Short: "Remove from the index what no checkout needs any more, or a project",
		Long: `Remove from the index what no checkout needs any more:

- a branch that its repository on this machine no longer has
- a repository that is not on this machine and was not used for --grace-days; until then
  it may be a colleague's, who uses the same database
- text that no document uses, and a project of which nothing is left

A checkout that is on this machine, or that a server indexes, stays.

With the name of a project it removes that project's own documents of this checkout, or with
--branch those of one branch. --path-hash takes another checkout, which sync --json names, and
--all takes every checkout. External docs stay. Removing needs --yes; --dry-run shows it
first.

Files are never touched: the next use of a checkout restores its index.`,
		Example: `  compound-docs clean --dry-run
  compound-docs clean my-project --branch feature/old --dry-run
  compound-docs clean my-project --all --yes`,
		Args: needs(0, 1, "one project", "compound-docs clean my-project --dry-run"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				for _, flag := range []string{"branch", "path-hash", "all"} {
					if cmd.Flags().Changed(flag) {
						return usagef("--%s is of a project; name it, as in `compound-docs clean my-project --%s`", flag, flag)
					}
				}
				return withSetup(flags, func(s *setup, ctx context.Context) error { return f.cleanUnused(ctx, s) })(cmd, args)
			}
			if cmd.Flags().Changed("grace-days") {
				return usagef("--grace-days is for what no checkout needs; leave out it or %s", args[0])
			}
			if !f.dryRun && !f.yes {
				return usagef("nothing was removed; give --dry-run to see what would be, or --yes")
			}
			return withProject(flags, func(t *tooling, ctx context.Context) error { return f.cleanProject(ctx, t) })(cmd, args)
		},
	}
	set := command.Flags()
	set.StringVar(&f.branch, "branch", "", "only this branch of the project (default: all)")
	set.StringVar(&f.pathHash, "path-hash", "", "another checkout of the project than this one")
	set.BoolVar(&f.all, "all", false, "every checkout of the project")
	set.BoolVar(&f.dryRun, "dry-run", false, "say what would be removed, and remove nothing")
	set.BoolVarP(&f.yes, "yes", "y", false, "remove the documents of the project")
	set.Uint16Var(&f.graceDays, "grace-days", 30, // outlasts a holiday
		"how many days to keep a checkout that is not on this machine after it was last used")
	exclude(command, "all", "path-hash")
	return command
}

// cleanProject removes documents of a project. Without --path-hash and --all it takes only
// this checkout, so a second run finds nothing.
func (f *cleanFlags) cleanProject(ctx context.Context, t *tooling) error {
	in := tools.DeleteDocumentsInput{
		ProjectName: t.args[0], BranchName: optional(t.command, "branch", &f.branch), DryRun: f.dryRun,
		PathHash: optional(t.command, "path-hash", &f.pathHash),
	}
	if !f.all && in.PathHash == nil {
		root, err := project.FindRoot(t.root)
		if err != nil {
			return err
		}
		in.PathHash = new(project.PathHash(root))
	}
	projects, err := t.index.Projects(ctx)
	if err != nil {
		return err
	}
	if !slices.Contains(projects, in.ProjectName) {
		return usagef("the index has no project %s; it has %s", in.ProjectName, plain.Some(projects, 10))
	}
	out, err := t.tools.DeleteDocuments(ctx, in)
	if err != nil {
		return err
	}
	return t.print(out, func(w io.Writer) { f.printDeleted(w, out) })
}

func (f *cleanFlags) printDeleted(w io.Writer, d tools.DeleteDocumentsOutput) {
	verb, documents := "removed", d.DeletedCount
	if d.DryRun {
		verb, documents = "would remove", d.WouldDeleteCount
	}
	branches, checkouts := "all branches", "this checkout"
	if f.branch != "" {
		branches = "branch " + f.branch
	}
	switch {
	case f.all:
		checkouts = "all checkouts"
	case f.pathHash != "":
		checkouts = "checkout " + f.pathHash
	}
	plain.Printf(w, "%s %s of %s, %s of %s\n", verb, plain.Count(*documents, "document"), d.ProjectName, branches, checkouts)
	if checkouts == "this checkout" {
		plain.Println(w, "--all takes every checkout, and --path-hash another one.")
	}
}
