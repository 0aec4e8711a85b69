package index

import (
	"context"
	"time"

	"github.com/compound-docs/compound-docs/db"
	"github.com/compound-docs/compound-docs/rag/catalog"
)

// CheckoutState says whether a checkout of a branch still exists.
type CheckoutState int

const (
	// Unknown says that the checkout may be gone, or on another machine.
	Unknown CheckoutState = iota
	// Alive says that the checkout exists.
	Alive
	// Gone says that the checkout no longer exists.
	Gone
)

// CleanupOptions say what a cleanup removes.
type CleanupOptions struct {
	// Judge returns the state of a checkout.
	Judge func(key catalog.TenantKey, root string) CheckoutState
	// Grace is how long a checkout in the state Unknown is kept after its last use.
	Grace time.Duration
	// DryRun says that nothing is removed, only counted.
	DryRun bool
}

// CleanupResult lists what a cleanup removed, or what a dry run would remove.
type CleanupResult struct {
	Tenants  []CleanedTenant
	Projects []CleanedProject
}

// CleanedTenant is a checkout of a branch that a cleanup removed, or kept only because it is in use.
type CleanedTenant struct {
	Project  string    `json:"project_name"`
	Branch   string    `json:"branch_name"`
	Root     string    `json:"root"`
	LastSeen time.Time `json:"last_seen"`
	// BranchGone is set if Judge said Gone. Otherwise nobody has used the checkout for longer than Grace.
	BranchGone bool `json:"branch_gone"`
	Documents  int  `json:"documents"`
	// InUse is set if the cleanup kept the checkout because a server indexes it or has just used it.
	InUse bool `json:"in_use"`
}

// CleanedProject is a project with something to remove.
type CleanedProject struct {
	Name string `json:"name"`
	// Passages is the number of passages that no document of a remaining tenant uses.
	Passages int `json:"passages"`
	// Emptied is set if nothing is left of the project, so that the project is removed too.
	Emptied bool `json:"emptied"`
}

// Cleanup first removes the checkouts that are gone, and those in the state Unknown that were not used within Grace.
// Then it removes passages that no document uses, vectors of models that no checkout uses, and projects without a
// checkout. It may run beside any number of servers, and removes nothing that they index. The next activation of a
// checkout restores what was removed by mistake. If Cleanup fails, the result says what it has removed until then.
func (x *Index) Cleanup(ctx context.Context, options CleanupOptions) (CleanupResult, error) {
	var done CleanupResult
	tenants, err := db.ReadOne(ctx, x.db, "list checkouts", (*db.Queries).CleanupTenants,
		db.CleanupTenantsParams{GraceSeconds: options.Grace.Seconds()})
	if err != nil {
		return done, err
	}
	removable := map[int32][]int32{} // the tenants that a dry run would remove, by their project
	for _, row := range tenants {
		key := catalog.TenantKey{Project: row.ProjectName, Branch: row.BranchName, PathHash: row.PathHash}
		state := options.Judge(key, row.RepoRoot)
		if state == Alive || state == Unknown && !row.Unseen {
			continue
		}
		tenant, err := x.cleanTenant(ctx, row, options.DryRun)
		if err != nil {
			return done, err
		}
		tenant.BranchGone = state == Gone
		done.Tenants = append(done.Tenants, tenant)
		if options.DryRun && !tenant.InUse {
			removable[row.ProjectID] = append(removable[row.ProjectID], row.ID)
		}
	}
	projects, err := transact(ctx, x.db.Read, "list projects", func(q *db.Queries) ([]db.Project, error) {
		return q.CleanupProjects(ctx)
	})
	if err != nil {
		return done, err
	}
	for _, project := range projects {
		cleaned, err := x.cleanProject(ctx, project, removable[project.ID], options.DryRun)
		if cleaned.Passages > 0 || cleaned.Emptied {
			done.Projects = append(done.Projects, cleaned)
		}
		if err != nil {
			return done, err
		}
	}
	return done, nil
}

// cleanTenant counts the documents of a tenant, and removes the tenant unless dryRun is set. It keeps a tenant that a
// server indexes, or that somebody has used since the cleanup read its row.
func (x *Index) cleanTenant(ctx context.Context, row db.CleanupTenantsRow, dryRun bool) (CleanedTenant, error) {
	cleaned := CleanedTenant{
		Project: row.ProjectName, Branch: row.BranchName, Root: row.RepoRoot, LastSeen: row.LastSeen.UTC(), InUse: row.InUse,
	}
	if row.InUse {
		return cleaned, nil
	}
	count, err := db.ReadOne(ctx, x.db, "count documents", (*db.Queries).CleanupCountDocuments,
		db.CleanupCountDocumentsParams{ProjectID: row.ProjectID, TenantID: row.ID})
	cleaned.Documents = int(count)
	if err != nil || dryRun {
		return cleaned, err
	}
	err = x.db.Write(ctx, "remove checkout", func(q *db.Queries) error {
		if err := lockPassages(ctx, q, row.ProjectID); err != nil {
			return err
		}
		_, err := q.CleanupDeleteTenant(ctx, db.CleanupDeleteTenantParams{
			ProjectID: row.ProjectID, ID: row.ID, LastSeen: row.LastSeen,
		})
		return err
	})
	cleaned.InUse = db.IsNoRows(err)
	return cleaned, ignoreNoRows(err)
}

// cleanProject removes a project's unused text and vectors, and the project if no tenant is left. A dry run only
// counts, as if the removable tenants were gone already.
func (x *Index) cleanProject(ctx context.Context, project db.Project, removable []int32, dryRun bool) (CleanedProject, error) {
	cleaned := CleanedProject{Name: project.Name}
	if dryRun {
		for _, collection := range collections() {
			hashes, err := x.unused(ctx, project.ID, collection, removable)
			if err != nil {
				return cleaned, err
			}
			cleaned.Passages += len(hashes)
		}
	} else {
		swept, err := x.sweep(ctx, project.ID)
		cleaned.Passages = swept
		if err != nil {
			return cleaned, err
		}
		if err := x.deleteUnusedVectors(ctx, project.ID); err != nil {
			return cleaned, err
		}
	}
	tenants, err := db.ReadOne(ctx, x.db, "count checkouts", (*db.Queries).TenantCount,
		db.TenantCountParams{ProjectID: project.ID})
	if err != nil || int(tenants) > len(removable) {
		return cleaned, err
	}
	if dryRun {
		cleaned.Emptied = true
		return cleaned, nil
	}
	cleaned.Emptied, err = transact(ctx, x.db.Write, "remove project", func(q *db.Queries) (bool, error) {
		id, err := lockProject(ctx, q, project.Name)
		if err != nil {
			return false, err
		}
		return deleteEmptyProject(ctx, q, id)
	})
	return cleaned, ignoreNoRows(err) // no row: another process has removed the project
}
