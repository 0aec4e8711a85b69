package rag

import (
	"context"

	"github.com/compound-docs/compound-docs/db"
)

// LastBranch returns the branch on which a checkout of the project was last in
// use, "" if the index knows none.
func (l *Library) LastBranch(ctx context.Context, project, pathHash string) (branch string, err error) {
	err = l.db.Read(ctx, "look up the last branch", func(q *db.Queries) error {
		branch, err = q.TenantLastBranch(ctx, db.TenantLastBranchParams{ProjectName: project, PathHash: pathHash})
		if db.IsNoRows(err) {
			return nil
		}
		return err
	})
	return branch, err
}
