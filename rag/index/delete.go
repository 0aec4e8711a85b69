package index

import (
	"context"
	"strings"

	"github.com/compound-docs/compound-docs/db"
	"github.com/compound-docs/compound-docs/rag/catalog"
)

// Selection names the tenants of a project. A nil Branch or PathHash means all.
type Selection struct {
	Project          string
	Branch, PathHash *string
}

// Matches reports whether the selection includes the tenant.
func (s Selection) Matches(key catalog.TenantKey) bool {
	return s.Project == key.Project &&
		(s.Branch == nil || *s.Branch == key.Branch) &&
		(s.PathHash == nil || *s.PathHash == key.PathHash)
}

// Contents counts the project's own documents in a selection.
type Contents struct {
	Documents int
	// Chunks does not count documents that are one passage.
	Chunks int
}

// Projects returns the names of all projects, sorted, without those that begin with a
// colon: the handbook and evaluations.
func (x *Index) Projects(ctx context.Context) (names []string, err error) {
	err = x.db.Read(ctx, "list projects", func(q *db.Queries) error {
		rows, err := q.CleanupProjects(ctx)
		names = nil
		for _, row := range rows {
			if !strings.HasPrefix(row.Name, ":") {
				names = append(names, row.Name)
			}
		}
		return err
	})
	return names, err
}

// Contents returns what the selection holds.
func (x *Index) Contents(ctx context.Context, selection Selection) (contents Contents, err error) {
	err = x.inProject(ctx, "count documents", selection.Project, func(q *db.Queries, id int32) error {
		contents, err = contentsOf(ctx, q, id, selection)
		return err
	})
	return contents, err
}

// contentsOf counts what the tenants of a project hold that the selection names.
func contentsOf(ctx context.Context, q *db.Queries, projectID int32, selection Selection) (Contents, error) {
	row, err := q.TenantContents(ctx, db.TenantContentsParams{
		ProjectID: projectID, BranchName: selection.Branch, PathHash: selection.PathHash,
	})
	return Contents{Documents: int(row.Documents), Chunks: int(row.Chunks)}, err
}

// Delete removes the project's own documents of the selected tenants from the index, and returns how many
// there were. External docs stay, and with them their tenant. A tenant without documents is removed too, and
// a project when it has no tenant left. So is the text that no other checkout uses, with its vectors.
//
// The tenants stay deleted until they are registered again with [Index.Tenant]. A write to one of them either
// ends before the deletion or fails with [db.ErrTenantGone].
func (x *Index) Delete(ctx context.Context, selection Selection) (deleted Contents, err error) {
	var projectID int32
	err = x.db.Write(ctx, "delete documents", func(q *db.Queries) (err error) {
		deleted = Contents{}
		projectID, err = q.ProjectLock(ctx, db.ProjectLockParams{Name: selection.Project})
		if db.IsNoRows(err) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := lockPassages(ctx, q, projectID); err != nil {
			return err
		}
		if deleted, err = contentsOf(ctx, q, projectID, selection); err != nil {
			return err
		}
		if err := q.TenantMarkDeleted(ctx, db.TenantMarkDeletedParams{
			ProjectID: projectID, BranchName: selection.Branch, PathHash: selection.PathHash,
		}); err != nil {
			return err
		}
		if err := q.TenantDeleteDocuments(ctx, db.TenantDeleteDocumentsParams{ProjectID: projectID}); err != nil {
			return err
		}
		if err := q.TenantDeleteEmpty(ctx, db.TenantDeleteEmptyParams{ProjectID: projectID}); err != nil {
			return err
		}
		_, err = deleteEmptyProject(ctx, q, projectID)
		return err
	})
	if err != nil || projectID == 0 {
		return deleted, err
	}
	_, err = x.Sweep(ctx, projectID)
	return deleted, err
}

// lockPassages waits for the writers of a project, and keeps new ones waiting until the transaction ends.
func lockPassages(ctx context.Context, q *db.Queries, projectID int32) error {
	return q.LockProjectExclusive(ctx, db.LockProjectExclusiveParams{Class: db.LockPassages, ProjectID: projectID})
}

// deleteEmptyProject removes a project with its passages if it has no tenant. It
// needs ProjectLock and lockPassages.
func deleteEmptyProject(ctx context.Context, q *db.Queries, projectID int32) (deleted bool, err error) {
	tenants, err := q.TenantCount(ctx, db.TenantCountParams{ProjectID: projectID})
	if err != nil || tenants > 0 {
		return false, err
	}
	if err := q.ProjectDelete(ctx, db.ProjectDeleteParams{ID: projectID}); err != nil {
		return false, err
	}
	return true, q.PassageDeleteByProject(ctx, db.PassageDeleteByProjectParams{ProjectID: projectID})
}
