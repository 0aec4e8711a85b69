package index

import (
	"context"
	"slices"

	"github.com/compound-docs/compound-docs/db"
	"github.com/compound-docs/compound-docs/internal/document"
)

// Source looks at files again. A writer asks it in its transaction, while the other
// writers of the tenant wait. So if two writers, in one process or in two, have read
// different versions of a file, neither leaves the older one in the index. A later
// change of a file causes an event, which is handled after the commit.
type Source interface {
	// Changed returns the paths whose files no longer have the bytes of the stamp.
	Changed(stamps map[string]document.Stamp) []string
	// Present returns the paths at which there is a document, or something that
	// cannot be read.
	Present(paths []string) []string
}

// changed returns the files that have changed since they were read.
func (x *Indexer) changed(stamps map[string]document.Stamp) []string {
	if x.Source == nil || len(stamps) == 0 {
		return nil
	}
	return x.Source.Changed(stamps)
}

// Remove removes documents whose files are gone. Their passages stay, for other
// checkouts.
func (x *Indexer) Remove(ctx context.Context, paths []string) error {
	return x.remove(ctx, paths, func(paths []string) []string {
		if x.Source == nil {
			return nil
		}
		return x.Source.Present(paths)
	})
}

// removeRefused removes the earlier versions of files that are no longer valid
// documents.
func (x *Indexer) removeRefused(ctx context.Context, refused map[string]document.Stamp) error {
	paths := make([]string, 0, len(refused))
	for path := range refused {
		paths = append(paths, path)
	}
	return x.remove(ctx, paths, func([]string) []string { return x.changed(refused) })
}

// remove removes documents, except those that keep returns inside the transaction.
func (x *Indexer) remove(ctx context.Context, paths []string, keep func(paths []string) []string) error {
	paths = textOnly(paths)
	if len(paths) == 0 {
		return nil
	}
	return x.write(ctx, "remove documents", func(q *db.Queries) error {
		if err := x.tenant.IncrementVersion(ctx, q, x.lockProject(ctx)); err != nil {
			return err
		}
		params := db.DocumentDeleteByPathsParams{
			ProjectID: x.tenant.ProjectID, TenantID: x.tenant.ID, Collection: x.collection,
			RelativePaths: without(paths, keep(paths)),
		}
		return q.Commit(ctx, func(q *db.Queries) error { return q.DocumentDeleteByPaths(ctx, params) })
	})
}

// without returns the paths that are not among others.
func without(paths, others []string) []string {
	return slices.DeleteFunc(slices.Clone(paths), func(path string) bool { return slices.Contains(others, path) })
}
