package index

import (
	"context"
	"math"
	"slices"
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
	// Renamed says that another project is at its path. It is gone if that was registered
	// after its last use: else it may be on another machine.
	Renamed
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
	Key      catalog.TenantKey `json:"-"`
	Root     string            `json:"root"`
	LastSeen time.Time         `json:"last_seen"`
	// State is Gone, Renamed, or Unknown for one that was not used for too long.
	State     CheckoutState `json:"-"`
	Documents int           `json:"documents"`
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

// Cleanup removes the checkouts that are gone, then the passages that no document
// uses any more and the vectors of models that no checkout uses, then empty projects. It
// may run beside any number of servers, and keeps everything that one of them indexes. A
// checkout that was removed by mistake comes back when it is activated again. After an
// error the result says what was done before it.
func (x *Index) Cleanup(ctx context.Context, options CleanupOptions) (result CleanupResult, err error) {
	rows, err := db.ReadOne(ctx, x.db, "list checkouts", (*db.Queries).CleanupTenants,
		db.CleanupTenantsParams{GraceSeconds: options.Grace.Seconds()})
	if err != nil {
		return result, err
	}
	removable := map[int32][]int32{} // tenants that a dry run would remove, by their project
	for _, row := range rows {
		state := options.judge(rows, row)
		if state == Alive || state == Unknown && !row.Unseen {
			continue
		}
		tenant, err := x.cleanTenant(ctx, row, state, options.DryRun)
		if err != nil {
			return result, err
		}
		result.Tenants = append(result.Tenants, tenant)
		if options.DryRun && !tenant.InUse {
			removable[row.ProjectID] = append(removable[row.ProjectID], row.ID)
		}
	}
	var projects []db.Project
	err = x.db.Read(ctx, "list projects", func(q *db.Queries) (err error) {
		projects, err = q.CleanupProjects(ctx)
		return err
	})
	if err != nil {
		return result, err
	}
	for _, row := range projects {
		project, err := x.cleanProject(ctx, row, removable[row.ID], options.DryRun)
		if project.Passages > 0 || project.Emptied {
			result.Projects = append(result.Projects, project)
		}
		if err != nil {
			return result, err
		}
	}
	return result, nil
}

func keyOf(row db.CleanupTenantsRow) catalog.TenantKey {
	return catalog.TenantKey{Project: row.ProjectName, Branch: row.BranchName, PathHash: row.PathHash}
}

// judge returns the state of a checkout. It is Renamed only if another project was
// registered at its path after its last use. A server that follows its config leaves the
// old name just after that.
func (o CleanupOptions) judge(rows []db.CleanupTenantsRow, row db.CleanupTenantsRow) CheckoutState {
	state := o.Judge(keyOf(row), row.RepoRoot)
	if state == Renamed && !slices.ContainsFunc(rows, func(other db.CleanupTenantsRow) bool {
		return other.PathHash == row.PathHash && other.ProjectID != row.ProjectID &&
			other.FirstSeen.Add(time.Minute).After(row.LastSeen)
	}) {
		return Unknown
	}
	return state
}

// cleanTenant removes a tenant unless a server uses it.
func (x *Index) cleanTenant(
	ctx context.Context, row db.CleanupTenantsRow, state CheckoutState, dryRun bool,
) (CleanedTenant, error) {
	tenant := CleanedTenant{Key: keyOf(row), Root: row.RepoRoot, LastSeen: row.LastSeen, State: state, InUse: row.InUse}
	if row.InUse {
		return tenant, nil
	}
	documents, err := db.ReadOne(ctx, x.db, "count documents", (*db.Queries).CleanupCountDocuments,
		db.CleanupCountDocumentsParams{ProjectID: row.ProjectID, TenantID: row.ID})
	tenant.Documents = int(documents)
	if err != nil || dryRun {
		return tenant, err
	}
	err = x.db.Write(ctx, "remove checkout", func(q *db.Queries) error {
		if err := lockPassages(ctx, q, row.ProjectID); err != nil {
			return err
		}
		_, err := q.CleanupDeleteTenant(ctx, db.CleanupDeleteTenantParams{
			ProjectID: row.ProjectID, ID: row.ID, LastSeen: row.LastSeen,
		})
		tenant.InUse = db.IsNoRows(err)
		return exceptNoRows(err)
	})
	return tenant, err
}

// cleanProject removes the text and the vectors of a project that nothing uses, and the
// project if it has no tenant. removable are the tenants that a dry run would remove.
func (x *Index) cleanProject(ctx context.Context, row db.Project, removable []int32, dryRun bool) (CleanedProject, error) {
	cleaned := CleanedProject{Name: row.Name}
	tenants, err := db.ReadOne(ctx, x.db, "count checkouts", (*db.Queries).TenantCount, db.TenantCountParams{ProjectID: row.ID})
	if err != nil {
		return cleaned, err
	}
	if dryRun {
		for _, collection := range collections() {
			hashes, err := x.unused(ctx, row.ID, collection, removable, math.MaxInt32)
			if err != nil {
				return cleaned, err
			}
			cleaned.Passages += len(hashes)
		}
		cleaned.Emptied = int(tenants) == len(removable)
		return cleaned, nil
	}
	if cleaned.Passages, err = x.Sweep(ctx, row.ID); err != nil {
		return cleaned, err
	}
	if err := x.deleteUnusedVectors(ctx, row.ID); err != nil {
		return cleaned, err
	}
	if _, err := x.claimSweep(ctx, row.ID, 0); err != nil {
		return cleaned, err
	}
	if tenants > 0 {
		return cleaned, nil
	}
	err = x.db.Write(ctx, "remove project", func(q *db.Queries) error {
		if _, err := q.ProjectLock(ctx, db.ProjectLockParams{Name: row.Name}); err != nil {
			return exceptNoRows(err) // another server has removed it
		}
		if err := lockPassages(ctx, q, row.ID); err != nil {
			return err
		}
		cleaned.Emptied, err = deleteEmptyProject(ctx, q, row.ID)
		return err
	})
	return cleaned, err
}
