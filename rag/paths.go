package rag

import (
	"context"

	"github.com/compound-docs/compound-docs/db"
)

// Paths returns up to limit paths of the tenant's documents, external ones among
// them, that contain the text, and how many there are in all. The likeliest come
// first: those that begin with it, then those with a folder or a file that does.
func (s *Searcher) Paths(ctx context.Context, tenant *Tenant, part string, limit int) (paths []string, total int, err error) {
	err = s.db.Read(ctx, "list paths", func(q *db.Queries) error {
		rows, err := q.DocumentPathsContaining(ctx, db.DocumentPathsContainingParams{
			ProjectID: tenant.ProjectID, TenantID: tenant.ID, Part: part, MaxPaths: int32(limit),
		})
		paths, total = make([]string, 0, len(rows)), 0
		for _, row := range rows {
			paths, total = append(paths, row.RelativePath), int(row.Total)
		}
		return err
	})
	return paths, total, err
}
