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
	// Unknown says that it may be gone, or on another machine.
	Unknown CheckoutState = iota
	// Alive says that it exists.
	Alive
	// Gone says that it no longer exists.
	Gone
)

// CleanupOptions say what a cleanup removes.
type CleanupOptions struct {
	// Judge returns the state of a checkout.
	Judge func(key catalog.TenantKey, root string) CheckoutState
	// Grace is how long a checkout in the state Unknown is kept after its last use.
	Grace time.Duration
	// DryRun removes nothing.
	DryRun bool
}

// CleanupResult counts the rows that a cleanup removed, or that a dry run would remove.
type CleanupResult struct {
	Tenants  []CleanedTenant
	Projects []CleanedProject
}

// CleanedTenant is a checkout on a branch that is gone.
type CleanedTenant struct {
	Project  string    `json:"project_name"`
	Branch   string    `json:"branch_name"`
	Root     string    `json:"root"`
	LastSeen time.Time `json:"last_seen"`
	// BranchGone is set if the repository has no such branch. Others were not used for too long.
	BranchGone bool `json:"branch_gone"`
	Documents  int  `json:"documents"`
	// InUse is set if it was not removed because a server indexes it, or just did.
	InUse bool `json:"in_use"`
}

// CleanedProject is a project with something to remove.
type CleanedProject struct {
	Name string `json:"name"`
	// Passages counts those that no document of a remaining tenant uses.
	Passages int `json:"passages"`
	// Emptied is set if nothing is left of the project.
	Emptied bool `json:"emptied"`
}

// Cleanup removes first the checkouts that are gone. Then it removes passages without a document,
// vectors of models without a checkout, and empty projects. It may run beside any number of
// servers: what they index stays. The next activation of a checkout restores what was removed by
// mistake. After an error the result says what was done before it.
func (x *Index) Cleanup(ctx context.Context, options CleanupOptions) (done CleanupResult, err error) {
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
		tenant := CleanedTenant{
			Project: key.Project, Branch: key.Branch, Root: row.RepoRoot, LastSeen: row.LastSeen.UTC(),
			BranchGone: state == Gone, InUse: row.InUse,
		}
		if !tenant.InUse {
			if tenant.Documents, tenant.InUse, err = x.removeTenant(ctx, row, options.DryRun); err != nil {
				return done, err
			}
		}
		done.Tenants = append(done.Tenants, tenant)
		if options.DryRun && !tenant.InUse {
			removable[row.ProjectID] = append(removable[row.ProjectID], row.ID)
		}
	}
	var projects []db.Project
	err = x.db.Read(ctx, "list projects", func(q *db.Queries) error {
		projects, err = q.CleanupProjects(ctx)
		return err
	})
	for _, project := range projects {
		cleaned, err := x.cleanProject(ctx, project, removable[project.ID], options.DryRun)
		if cleaned.Passages > 0 || cleaned.Emptied {
			done.Projects = append(done.Projects, cleaned)
		}
		if err != nil {
			return done, err
		}
	}
	return done, err
}

// removeTenant removes a tenant unless a server has used it since the row was read, and
// counts its documents. A dry run only counts.
func (x *Index) removeTenant(ctx context.Context, row db.CleanupTenantsRow, dryRun bool) (documents int, inUse bool, err error) {
	count, err := db.ReadOne(ctx, x.db, "count documents", (*db.Queries).CleanupCountDocuments,
		db.CleanupCountDocumentsParams{ProjectID: row.ProjectID, TenantID: row.ID})
	if err != nil || dryRun {
		return int(count), false, err
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
	return int(count), db.IsNoRows(err), exceptNoRows(err)
}

// cleanPassages removes the passages and the vectors that nothing uses, and returns how many
// passages that are.
func (x *Index) cleanPassages(ctx context.Context, project int32, removable []int32, dryRun bool) (passages int, err error) {
	if dryRun {
		for _, collection := range collections() {
			hashes, err := x.unused(ctx, project, collection, removable)
			if err != nil {
				return passages, err
			}
			passages += len(hashes)
		}
		return passages, nil
	}
	if passages, err = x.Sweep(ctx, project); err != nil {
		return passages, err
	}
	if err := x.deleteUnusedVectors(ctx, project); err != nil {
		return passages, err
	}
	_, err = x.claimSweep(ctx, project, 0)
	return passages, err
}

// cleanProject removes the text and the vectors of a project that nothing uses, and the
// project if it has no tenant left. A dry run takes the removable tenants for removed.
func (x *Index) cleanProject(
	ctx context.Context, project db.Project, removable []int32, dryRun bool,
) (cleaned CleanedProject, err error) {
	cleaned.Name = project.Name
	if cleaned.Passages, err = x.cleanPassages(ctx, project.ID, removable, dryRun); err != nil {
		return cleaned, err
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
	err = x.db.Write(ctx, "remove project", func(q *db.Queries) error {
		if _, err := q.ProjectLock(ctx, db.ProjectLockParams{Name: project.Name}); err != nil {
			return err
		}
		if err := lockPassages(ctx, q, project.ID); err != nil {
			return err
		}
		cleaned.Emptied, err = deleteEmptyProject(ctx, q, project.ID)
		return err
	})
	return cleaned, exceptNoRows(err) // another process has removed it
}
