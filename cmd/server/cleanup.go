package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/compound-docs/compound-docs/internal/plain"
	"github.com/compound-docs/compound-docs/internal/workspace"
	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/rag/index"
)

// defaultGrace outlasts a holiday.
const defaultGrace = 30 * day

const day = 24 * time.Hour

func newCleanupCommand(flags *flags) *cobra.Command {
	options := index.CleanupOptions{Grace: defaultGrace}
	command := &cobra.Command{
		Use:   "cleanup",
		Short: "Remove from the index what no checkout needs any more",
		Long: `Remove from the index what no checkout needs any more:

- a branch that its repository, on this machine, no longer has;
- a repository that is not on this machine and was not used for the grace period:
  it may be a colleague's, who uses the same database;
- text that no document uses;
- a project of which nothing is left.

A checkout that is on this machine stays, however long ago it was used, and so
does one that a server indexes at the moment. Files are never touched: what was
removed comes back when its checkout is activated again. It may run at any time,
beside any number of servers; --dry-run says what it would remove.`,
		Example: "  compound-docs cleanup --dry-run\n  compound-docs cleanup --grace 12h --json",
		RunE:    withSetup(flags, func(s *setup, ctx context.Context) error { return s.cleanup(ctx, options) }),
	}
	command.Flags().BoolVar(&options.DryRun, "dry-run", false, "say what would be removed, and remove nothing")
	command.Flags().Var((*period)(&options.Grace), "grace",
		"how long to keep a checkout that is not on this machine after it was last used, such as 30d or 12h")
	return command
}

func (s *setup) cleanup(ctx context.Context, options index.CleanupOptions) error {
	options.Judge = func(key catalog.TenantKey, root string) index.CheckoutState { return workspace.StateOf(ctx, key, root) }
	cleaned, err := s.index.Cleanup(ctx, options)
	if err != nil && len(cleaned.Tenants)+len(cleaned.Projects) == 0 {
		return err
	}
	people := func(w io.Writer) { printCleaned(w, cleaned, options.DryRun) }
	return errors.Join(err, s.print(newCleanedUp(cleaned, options.DryRun), people))
}

// cleanedUp lists for --json what compound-docs cleanup has removed.
type cleanedUp struct {
	DryRun    bool                   `json:"dry_run"`
	Checkouts []cleanedCheckout      `json:"checkouts"`
	Projects  []index.CleanedProject `json:"projects"`
}

type cleanedCheckout struct {
	ProjectName string `json:"project_name"`
	BranchName  string `json:"branch_name"`
	index.CleanedTenant

	// BranchGone is set if the repository is on this machine and no longer has the branch.
	BranchGone bool `json:"branch_gone"`
}

func newCleanedUp(cleaned index.CleanupResult, dryRun bool) cleanedUp {
	out := cleanedUp{DryRun: dryRun, Checkouts: []cleanedCheckout{}, Projects: append([]index.CleanedProject{}, cleaned.Projects...)}
	for _, t := range cleaned.Tenants {
		t.LastSeen = t.LastSeen.UTC()
		out.Checkouts = append(out.Checkouts, cleanedCheckout{t.Key.Project, t.Key.Branch, t, t.State == index.Gone})
	}
	return out
}

// printCleaned prints what was removed and why, one line each, and then the totals.
func printCleaned(w io.Writer, cleaned index.CleanupResult, dryRun bool) {
	var tenants, documents, passages, projects int
	for _, tenant := range cleaned.Tenants {
		name := fmt.Sprintf("%s, branch %s, in %s", tenant.Key.Project, tenant.Key.Branch, tenant.Root)
		if tenant.InUse {
			plain.Printf(w, "%s: stays, since a server uses it\n", name)
			continue
		}
		reason := "the repository has no such branch"
		if tenant.State == index.Renamed {
			reason = "the repository has another project_name now"
		}
		if tenant.State == index.Unknown {
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
			plain.Printf(w, "%s: nothing is left of the project\n", project.Name)
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

// period is the value of a flag: a duration, which may be given in days.
type period time.Duration

func (p *period) Set(text string) error {
	const example = "give one such as 30d or 12h"
	duration, err := time.ParseDuration(text)
	if days, ok := strings.CutSuffix(text, "d"); ok {
		var n uint64
		n, err = strconv.ParseUint(days, 10, 16)
		duration = time.Duration(n) * day
	}
	if err != nil {
		return errors.New(example)
	}
	if duration < 0 {
		return errors.New("it is negative; " + example)
	}
	*p = period(duration)
	return nil
}

func (p *period) String() string {
	if duration := time.Duration(*p); duration%day != 0 || duration == 0 {
		return duration.String()
	}
	return fmt.Sprintf("%dd", time.Duration(*p)/day)
}

func (*period) Type() string { return "period" }
