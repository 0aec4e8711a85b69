package index

import (
	"context"

	"github.com/compound-docs/compound-docs/db"
	"github.com/compound-docs/compound-docs/rag/catalog"
)

// Selection selects tenants of a project by branch and by the hash of the checkout's path. Nil means all.
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

// Contents counts the documents of a selection. External docs do not count.
type Contents struct {
	Documents int
	// Chunks counts the passages of documents that have more than one passage.
	Chunks int
}

// Contents counts what the selection holds. It returns zeros if the index does not have the project.
func (x *Index) Contents(ctx context.Context, selection Selection) (Contents, error) {
	contents, err := transact(ctx, x.db.Read, "count documents", func(q *db.Queries) (Contents, error) {
		id, err := q.ProjectFind(ctx, db.ProjectFindParams{Name: selection.Project})
		if err != nil {
			return Contents{}, err
		}
		return contentsOf(ctx, q, id, selection)
	})
	return contents, ignoreNoRows(err)
}

func contentsOf(ctx context.Context, q *db.Queries, projectID int32, selection Selection) (Contents, error) {
	row, err := q.TenantContents(ctx, db.TenantContentsParams{
		ProjectID: projectID, BranchName: selection.Branch, PathHash: selection.PathHash,
	})
	return Contents{Documents: int(row.Documents), Chunks: int(row.Chunks)}, err
}

// Delete removes the project's own documents of the selected tenants from the index, and returns how many there were.
// External docs stay, and so does a tenant that has external docs. Delete also removes tenants without documents, the
// project if it has no tenant left, and text that no other checkout uses, with its vectors.
//
// The tenants stay deleted until they are registered again with [Index.Tenant]. A write to one of them either ends
// before the deletion or fails with [db.ErrTenantGone].
func (x *Index) Delete(ctx context.Context, selection Selection) (Contents, error) {
	deleted, err := transact(ctx, x.db.Write, "delete documents", func(q *db.Queries) (Contents, error) {
		id, err := lockProject(ctx, q, selection.Project)
		if err != nil {
			return Contents{}, err
		}
		deleted, err := contentsOf(ctx, q, id, selection)
		if err != nil {
			return deleted, err
		}
		if err := q.TenantMarkDeleted(ctx, db.TenantMarkDeletedParams{
			ProjectID: id, BranchName: selection.Branch, PathHash: selection.PathHash,
		}); err != nil {
			return deleted, err
		}
		if err := q.TenantDeleteDocuments(ctx, db.TenantDeleteDocumentsParams{ProjectID: id}); err != nil {
			return deleted, err
		}
		if err := q.TenantDeleteEmpty(ctx, db.TenantDeleteEmptyParams{ProjectID: id}); err != nil {
			return deleted, err
		}
		_, err = deleteEmptyProject(ctx, q, id)
		return deleted, err
	})
	if err != nil {
		return Contents{}, ignoreNoRows(err) // the index does not have the project
	}
	id, err := db.ReadOne(ctx, x.db, "find project", (*db.Queries).ProjectFind, db.ProjectFindParams{Name: selection.Project})
	if err != nil {
		return deleted, ignoreNoRows(err) // the project is gone, and its text with it
	}
	_, err = x.sweep(ctx, id)
	return deleted, err
}

// lockProject returns a project's id. Until the transaction ends, no other process can register tenants of the project,
// remove the project or write its text. If the index does not have the project, [db.IsNoRows] recognizes the error.
func lockProject(ctx context.Context, q *db.Queries, name string) (int32, error) {
	id, err := q.ProjectLock(ctx, db.ProjectLockParams{Name: name})
	if err != nil {
		return 0, err
	}
	return id, lockPassages(ctx, q, id)
}

// deleteEmptyProject removes a project and its passages if it has no tenant, and reports whether it has removed them.
// The caller must have called lockProject in this transaction.
func deleteEmptyProject(ctx context.Context, q *db.Queries, projectID int32) (bool, error) {
	tenants, err := q.TenantCount(ctx, db.TenantCountParams{ProjectID: projectID})
	if err != nil || tenants > 0 {
		return false, err
	}
	if err := q.ProjectDelete(ctx, db.ProjectDeleteParams{ID: projectID}); err != nil {
		return false, err
	}
	return true, q.PassageDeleteByProject(ctx, db.PassageDeleteByProjectParams{ProjectID: projectID})
}
