package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/compound-docs/compound-docs/internal/plain"
	"github.com/compound-docs/compound-docs/internal/project"
	"github.com/compound-docs/compound-docs/internal/workspace"
	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/rag/index"
	"github.com/compound-docs/compound-docs/tools"
)

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

With the name of a project it removes that project's own documents of this checkout, or of the
one that --path-hash takes from sync --json. External docs stay. That needs --yes; --dry-run
shows it first.

Files are never touched: the next use of a checkout restores its index.`,
		Example: `  compound-docs clean --dry-run
  compound-docs clean my-project --branch feature/old --dry-run
  compound-docs clean my-project --all --yes`,
		Args: needs(0, 1, "one project", "compound-docs clean my-project --dry-run"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				for _, flag := range []string{"branch", "path-hash", "all"} {
					if cmd.Flags().Changed(flag) {
						return usagef("--%s needs a project; name it, as in `compound-docs clean my-project --%s`", flag, flag)
					}
				}
				return withSetup(flags, f.cleanUnused)(cmd, args)
			}
			if cmd.Flags().Changed("grace-days") {
				return usagef("--grace-days does not go with a project; leave out --grace-days or %s", args[0])
			}
			if !f.dryRun && !f.yes {
				return usagef("nothing was removed; give --yes, or --dry-run to see what it would remove")
			}
			return withProject(flags, f.cleanProject)(cmd, args)
		},
	}
	set := command.Flags()
	set.StringVar(&f.branch, "branch", "", "only this branch of the project (default: all)")
	set.StringVar(&f.pathHash, "path-hash", "", "the checkout with this hash (default: the current one)")
	set.BoolVar(&f.all, "all", false, "every checkout of the project")
	set.BoolVar(&f.dryRun, "dry-run", false, "say what would be removed, and remove nothing")
	set.BoolVarP(&f.yes, "yes", "y", false, "remove the documents of the project")
	set.Uint16Var(&f.graceDays, "grace-days", 30, // outlasts a holiday
		"how many days to keep a checkout that is not on this machine after it was last used")
	exclude(command, "all", "path-hash")
	return command
}

// cleanProject removes documents of this checkout, unless another or all are asked for.
func (f *cleanFlags) cleanProject(t *tooling) error {
	ctx := t.command.Context()
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
	verb, documents, branches, checkouts := "removed", d.DeletedCount, "all branches", "this checkout"
	if d.DryRun {
		verb, documents = "would remove", d.WouldDeleteCount
	}
	if f.branch != "" {
		branches = "branch " + f.branch
	}
	if f.pathHash != "" {
		checkouts = "checkout " + f.pathHash
	}
	if f.all {
		checkouts = "all checkouts"
	}
	plain.Printf(w, "%s %s of %s, %s of %s\n", verb, plain.Count(*documents, "document"), d.ProjectName, branches, checkouts)
	if !f.all && f.pathHash == "" {
		plain.Println(w, "--all takes every checkout, and --path-hash another one.")
	}
}

// cleanUnused removes what no checkout needs.
func (f *cleanFlags) cleanUnused(s *setup) error {
	ctx := s.command.Context()
	cleaned, err := s.index.Cleanup(ctx, index.CleanupOptions{
		Grace: time.Duration(f.graceDays) * 24 * time.Hour, DryRun: f.dryRun,
		Judge: func(key catalog.TenantKey, root string) index.CheckoutState { return workspace.StateOf(ctx, key, root) },
	})
	if err != nil && len(cleaned.Tenants)+len(cleaned.Projects) == 0 {
		return err
	}
	out := map[string]any{
		"dry_run": f.dryRun, "checkouts": append([]index.CleanedTenant{}, cleaned.Tenants...),
		"projects": append([]index.CleanedProject{}, cleaned.Projects...),
	}
	return errors.Join(err, s.print(out, func(w io.Writer) { printCleaned(w, cleaned, f.dryRun) }))
}

// printCleaned prints what was removed and why, one line each, and then the totals.
func printCleaned(w io.Writer, cleaned index.CleanupResult, dryRun bool) {
	var tenants, documents, passages, projects int
	for _, tenant := range cleaned.Tenants {
		name := fmt.Sprintf("%s, branch %s, in %s", tenant.Project, tenant.Branch, tenant.Root)
		if tenant.InUse {
			plain.Printf(w, "%s: kept, because a server uses it\n", name)
			continue
		}
		reason := "the repository has no such branch"
		if !tenant.BranchGone {
			reason = "not on this machine, and not used since " + tenant.LastSeen.Local().Format(time.DateOnly)
		}
		plain.Printf(w, "%s: %s, %s\n", name, plain.Count(tenant.Documents, "document"), reason)
		tenants++
		documents += tenant.Documents
	}
	for _, project := range cleaned.Projects {
		if project.Passages > 0 {
			plain.Printf(w, "%s: %s that no document uses\n", project.Name, plain.Count(project.Passages, "passage"))
		}
		if project.Emptied {
			plain.Printf(w, "%s: the project has no document left\n", project.Name)
			projects++
		}
		passages += project.Passages
	}
	verb := "removed"
	if dryRun {
		verb = "would remove"
	}
	plain.Printf(w, "%s %s with %s, %s and %s\n", verb,
		plain.Count(tenants, "checkout"), plain.Count(documents, "document"), plain.Count(passages, "passage"),
		plain.Count(projects, "project"))
}
