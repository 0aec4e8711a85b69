package rag

import (
	"context"

	"github.com/compound-docs/compound-docs/db"
)

// Selection names the tenants of a project. A nil Branch or PathHash stands for
// all.
type Selection struct {
	Project          string
	Branch, PathHash *string
}

// Matches reports whether the selection includes the tenant.
func (s Selection) Matches(key TenantKey) bool {
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

// Contents returns what the selection holds.
func (l *Library) Contents(ctx context.Context, selection Selection) (contents Contents, err error) {
	err = l.db.Read(ctx, "count documents", func(q *db.Queries) error {
		contents, err = contentsOf(ctx, q, selection)
		return err
	})
	return contents, err
}

func contentsOf(ctx context.Context, q *db.Queries, selection Selection) (Contents, error) {
	row, err := q.TenantContents(ctx, db.TenantContentsParams{
		ProjectName: selection.Project, BranchName: selection.Branch, PathHash: selection.PathHash,
	})
	return Contents{Documents: int(row.Documents), Chunks: int(row.Chunks)}, err
}

// Delete removes the tenants of the selection from the index, with all that they
// hold, and returns how much of the project's own documents that was. A project
// goes with its last tenant, and its passages with it; other passages wait for
// the sweep. Whoever is still writing to one of the tenants finishes first, or
// fails whole with [ErrTenantGone].
func (l *Library) Delete(ctx context.Context, selection Selection) (deleted Contents, err error) {
	err = l.db.Write(ctx, "delete documents", func(q *db.Queries) error {
		deleted = Contents{}
		projectID, err := q.ProjectLock(ctx, db.ProjectLockParams{Name: selection.Project})
		if db.IsNoRows(err) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := q.LockProjectExclusive(ctx, db.LockProjectExclusiveParams{
			Class: db.LockPassages, ProjectID: projectID,
		}); err != nil {
			return err
		}
		if deleted, err = contentsOf(ctx, q, selection); err != nil {
			return err
		}
		if err := q.TenantDelete(ctx, db.TenantDeleteParams{
			ProjectID: projectID, BranchName: selection.Branch, PathHash: selection.PathHash,
		}); err != nil {
			return err
		}
		gone, err := q.ProjectDeleteEmpty(ctx, db.ProjectDeleteEmptyParams{ID: projectID})
		if err != nil || gone == 0 {
			return err
		}
		return q.PassageDeleteByProject(ctx, db.PassageDeleteByProjectParams{ProjectID: projectID})
	})
	return deleted, err
}
