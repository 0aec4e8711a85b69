package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/compound-docs/compound-docs/internal/plain"
	"github.com/compound-docs/compound-docs/internal/workspace"
	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/rag/index"
)

// cleanUnused removes what no checkout needs.
func (f *cleanFlags) cleanUnused(ctx context.Context, s *setup) error {
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
			plain.Printf(w, "%s: stays, since a server uses it\n", name)
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
