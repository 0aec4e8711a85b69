package main

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/compound-docs/compound-docs/internal/plain"
	"github.com/compound-docs/compound-docs/internal/workspace"
	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/rag/index"
)

type cleanFlags struct {
	dryRun    bool
	graceDays uint16
}

func newCleanCommand(flags *flags) *cobra.Command {
	var f cleanFlags
	command := &cobra.Command{
		Use:   "clean",
		Short: "Remove from the index what no checkout needs any more",
		Long: `Remove from the index what no checkout needs any more:

- a branch that its repository on this machine no longer has
- a repository that is not on this machine and was not used for --grace-days; until then
  it may be a colleague's, who uses the same database
- text that no document uses, and a project of which nothing is left

A checkout that is on this machine, or that a server indexes, stays. The tool delete_documents
removes a project.

Files are never touched: the next use of a checkout restores its index.`,
		Example: "  compound-docs clean --dry-run",
		RunE:    withSetup(flags, f.clean),
	}
	set := command.Flags()
	set.BoolVar(&f.dryRun, "dry-run", false, "say what would be removed, and remove nothing")
	set.Uint16Var(&f.graceDays, "grace-days", 30, // longer than a holiday
		"how many days to keep a checkout that is not on this machine after it was last used")
	return command
}

func (f *cleanFlags) clean(s *setup) error {
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

// printCleaned prints one line with a reason for everything that was removed or kept, and then the totals.
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
