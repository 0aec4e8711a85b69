package index

import (
	"context"

	"github.com/compound-docs/compound-docs/rag/catalog"

	"github.com/compound-docs/compound-docs/db"
)

// CitedPlaces are the places of the repository that a document cites, such as
// src/pool.go:12-20.
type CitedPlaces struct {
	ID          int64
	Path, Title string
	Level       catalog.Level
	Places      []string
}

// CitedPlaces returns the documents of the scope that cite places, and the critical ones.
func (x *Index) CitedPlaces(ctx context.Context, scope catalog.Scope) ([]CitedPlaces, error) {
	var documents []CitedPlaces
	err := x.db.Read(ctx, "read the places that documents cite", func(q *db.Queries) error {
		documents = nil
		rows, err := q.DocumentPlaces(ctx, db.DocumentPlacesParams{
			ProjectID: scope.Tenant.ProjectID, TenantID: scope.Tenant.ID, Collection: scope.Collection,
		})
		for _, row := range rows {
			documents = append(documents, CitedPlaces{
				ID: row.ID, Path: row.RelativePath, Title: row.Title, Level: row.PromotionLevel, Places: row.Places,
			})
		}
		return err
	})
	return documents, err
}

// Paths returns up to limit paths of the tenant's documents, external ones among
// them, that contain the text, and how many there are in all. The likeliest come
// first: those that begin with it, then those with a folder or a file that does.
func (x *Index) Paths(
	ctx context.Context, tenant *catalog.Tenant, part string, limit int,
) (paths []string, total int, err error) {
	err = x.db.Read(ctx, "list paths", func(q *db.Queries) error {
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

// CountByType returns how many documents each doc-type has in the scope.
func (x *Index) CountByType(ctx context.Context, scope catalog.Scope) (map[string]int, error) {
	counts := map[string]int{}
	err := x.db.Read(ctx, "count documents", func(q *db.Queries) error {
		rows, err := q.DocumentCountByType(ctx, db.DocumentCountByTypeParams{
			ProjectID: scope.Tenant.ProjectID, TenantID: scope.Tenant.ID, Collection: scope.Collection,
		})
		for _, row := range rows {
			counts[row.DocType] = int(row.Documents)
		}
		return err
	})
	return counts, err
}
