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
// uses any more and the vectors of models that no checkout uses, then projects of
// which nothing is left. It may run beside any number of servers: what one of them
// indexes stays. What was removed by mistake comes back when its checkout is activated
// again. After an error the result says what was done before it.
func (x *Index) Cleanup(ctx context.Context, options CleanupOptions) (CleanupResult, error) {
	c := &cleanup{CleanupOptions: options, index: x, removable: map[int32][]int32{}}
	err := c.tenants(ctx)
	if err == nil {
		err = c.projects(ctx)
	}
	return c.done, err
}

// cleanup is one run.
type cleanup struct {
	CleanupOptions

	index *Index
	done  CleanupResult
	// removable are the tenants that a dry run would remove, by their project.
	removable map[int32][]int32
}

func (c *cleanup) tenants(ctx context.Context) error {
	rows, err := db.ReadOne(ctx, c.index.db, "list checkouts", (*db.Queries).CleanupTenants,
		db.CleanupTenantsParams{GraceSeconds: c.Grace.Seconds()})
	if err != nil {
		return err
	}
	for _, row := range rows {
		tenant := CleanedTenant{
			Key:  catalog.TenantKey{Project: row.ProjectName, Branch: row.BranchName, PathHash: row.PathHash},
			Root: row.RepoRoot, LastSeen: row.LastSeen, InUse: row.InUse,
		}
		tenant.State = c.Judge(tenant.Key, tenant.Root)
		if tenant.State == Renamed && !replaced(rows, row) {
			tenant.State = Unknown
		}
		if tenant.State == Alive || tenant.State == Unknown && !row.Unseen {
			continue
		}
		if err := c.tenant(ctx, row, tenant); err != nil {
			return err
		}
	}
	return nil
}

// replaced reports whether another project was registered at the checkout's path after its
// last use. A server that follows its config leaves the old name just after that.
func replaced(rows []db.CleanupTenantsRow, row db.CleanupTenantsRow) bool {
	return slices.ContainsFunc(rows, func(other db.CleanupTenantsRow) bool {
		return other.PathHash == row.PathHash && other.ProjectID != row.ProjectID &&
			other.FirstSeen.Add(time.Minute).After(row.LastSeen)
	})
}

// tenant removes one tenant that no server uses.
func (c *cleanup) tenant(ctx context.Context, row db.CleanupTenantsRow, tenant CleanedTenant) error {
	if !tenant.InUse {
		documents, err := db.ReadOne(ctx, c.index.db, "count documents", (*db.Queries).CleanupCountDocuments,
			db.CleanupCountDocumentsParams{ProjectID: row.ProjectID, TenantID: row.ID})
		if err != nil {
			return err
		}
		tenant.Documents = int(documents)
	}
	if !tenant.InUse && !c.DryRun {
		err := c.index.db.Write(ctx, "remove checkout", func(q *db.Queries) error {
			if err := lockPassages(ctx, q, row.ProjectID); err != nil {
				return err
			}
			_, err := q.CleanupDeleteTenant(ctx, db.CleanupDeleteTenantParams{
				ProjectID: row.ProjectID, ID: row.ID, LastSeen: row.LastSeen,
			})
			tenant.InUse = db.IsNoRows(err)
			return exceptNoRows(err)
		})
		if err != nil {
			return err
		}
	}
	c.done.Tenants = append(c.done.Tenants, tenant)
	if c.DryRun && !tenant.InUse {
		c.removable[row.ProjectID] = append(c.removable[row.ProjectID], row.ID)
	}
	return nil
}

func (c *cleanup) projects(ctx context.Context) error {
	var rows []db.Project
	err := c.index.db.Read(ctx, "list projects", func(q *db.Queries) (err error) {
		rows, err = q.CleanupProjects(ctx)
		return err
	})
	for _, row := range rows {
		if err != nil {
			break
		}
		err = c.project(ctx, row)
	}
	return err
}

func (c *cleanup) project(ctx context.Context, row db.Project) error {
	cleaned := CleanedProject{Name: row.Name}
	tenants, err := db.ReadOne(ctx, c.index.db, "count checkouts", (*db.Queries).TenantCount,
		db.TenantCountParams{ProjectID: row.ID})
	if err == nil {
		cleaned.Passages, err = c.passages(ctx, row.ID)
	}
	if err == nil && int(tenants) == len(c.removable[row.ID]) {
		cleaned.Emptied, err = c.removeProject(ctx, row)
	}
	if cleaned.Passages > 0 || cleaned.Emptied {
		c.done.Projects = append(c.done.Projects, cleaned)
	}
	return err
}

// passages removes the text and the vectors of a project that nothing uses, and counts the
// passages.
func (c *cleanup) passages(ctx context.Context, projectID int32) (unused int, err error) {
	if c.DryRun {
		for _, collection := range collections() {
			hashes, err := c.index.unused(ctx, projectID, collection, c.removable[projectID], math.MaxInt32)
			if err != nil {
				return 0, err
			}
			unused += len(hashes)
		}
		return unused, nil
	}
	unused, err = c.index.Sweep(ctx, projectID)
	if err == nil {
		err = c.index.deleteUnusedVectors(ctx, projectID)
	}
	if err == nil {
		_, err = c.index.claimSweep(ctx, projectID, 0)
	}
	return unused, err
}

// removeProject removes a project that has no tenants. It reports false if a tenant was
// registered meanwhile.
func (c *cleanup) removeProject(ctx context.Context, row db.Project) (removed bool, err error) {
	if c.DryRun {
		return true, nil
	}
	err = c.index.db.Write(ctx, "remove project", func(q *db.Queries) error {
		if _, err := q.ProjectLock(ctx, db.ProjectLockParams{Name: row.Name}); err != nil {
			return err
		}
		if err := lockPassages(ctx, q, row.ID); err != nil {
			return err
		}
		removed, err = deleteEmptyProject(ctx, q, row.ID)
		return err
	})
	if db.IsNoRows(err) {
		return false, nil
	}
	return removed, err
}
